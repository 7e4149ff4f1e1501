/** Which hits never leave the browser (docs/tracker.md, "What is not sent"). */
import { globMatches } from '../src/model/glob.ts';
import type { Config } from './config.ts';

/** What local storage has under a name. Storage that the browser denies has nothing. */
export const stored = (name: string): string | null => {
  try {
    return localStorage.getItem(name);
  } catch {
    // A sandboxed frame, or site data blocked by the visitor.
    return null;
  }
};

/** Whether a switch in local storage is on. */
export const isOn = (name: string): boolean => stored(name) === '1';

/** This machine's own pages. Beyond file:, no address that is not http(s) can be recorded. */
const local = /^(?!http)|\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/;

/** Whether a hit of a page of this site is dropped now. */
export const isDropped = ({ exclude, dnt, isOff }: Config, address: string): boolean =>
  isOn('tracker_disabled') ||
  (local.test(location.origin) && !isOn('tracker_debug')) ||
  (dnt && (navigator.doNotTrack === '1' || navigator.globalPrivacyControl === true)) ||
  exclude.some(glob => globMatches(glob, new URL(address).pathname)) ||
  !!isOff?.();
