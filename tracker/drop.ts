/** Which hits never leave the browser (docs/tracker.md, "What is not sent"). */
import { globMatches } from '../src/model/glob.ts';
import type { Config } from './config.ts';

/** Whether a local storage switch is on. Storage that the browser denies is off. */
const isOn = (name: string): boolean => {
  try {
    return localStorage.getItem(`tracker_${name}`) === '1';
  } catch {
    // A sandboxed frame, or site data blocked by the visitor.
    return false;
  }
};

/** Beyond file:, no address that is not http(s) can be recorded. */
const isLocal = (): boolean =>
  !/^http/.test(location.protocol) || /^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname);

/** Whether a hit of the current page is dropped now. */
export const isDropped = ({ exclude, domains }: Config): boolean =>
  isOn('disabled') ||
  (isLocal() && !isOn('debug')) ||
  exclude.some(glob => globMatches(glob, location.pathname)) ||
  (domains[0] !== '' && !domains.includes(location.hostname));
