/** The tracker as a module for bundlers, published as @daybook/tracker. index.d.ts describes it. */
import { anyHash, type Config, listOf } from '../config.ts';
import { quietly } from '../quietly.ts';
import { start } from '../start.ts';
import type { Options, Tracker } from './index.d.ts';

type Call = (tracker: Tracker) => void;

/** Calls from before the first `init`; a page that never calls it keeps no more. */
const waitingMax = 100;
const waiting: Call[] = [];
/** By collector and site, so that a component that is mounted twice counts once. */
const instances: Record<string, Tracker> = {};
let first: Tracker | undefined;

const isBrowser = typeof document === 'object';

const configOf = ({ site, api, exclude, ...options }: Options): Config => ({
  site,
  api: api.replace(/\/$/, ''),
  hash: options.hash === true && anyHash,
  outbound: options.outbound !== false,
  auto: options.auto !== false,
  exclude: exclude ? [...exclude] : listOf(),
  vitals: options.vitals !== false,
  cookies: options.cookies === true,
  dnt: options.respectDnt === true,
  change: hit => hit,
});

const createTracker = (options: Options): Tracker => {
  const { calls, page } = start(configOf(options));
  return {
    track: quietly(calls.event),
    pageview: quietly(page.pageview),
    identify: quietly(calls.identify),
    revenue: quietly(calls.revenue),
  };
};

const nobody: Tracker = { track() {}, pageview() {}, identify() {}, revenue() {} };

export const init = (options: Options): Tracker => {
  if (!isBrowser || !options.site) return nobody;
  const key = `${options.api} ${options.site}`;
  let tracker = instances[key];
  if (!tracker) {
    quietly(() => {
      tracker = createTracker(options);
    })();
    tracker ??= nobody;
    instances[key] = tracker;
  }
  first ??= tracker;
  for (const call of waiting.splice(0)) call(first);
  return tracker;
};

const whenReady = (call: Call): void => {
  if (first) call(first);
  else if (isBrowser && waiting.length < waitingMax) waiting.push(call);
};

export const track: Tracker['track'] = (name, properties) => whenReady(tracker => tracker.track(name, properties));
export const pageview: Tracker['pageview'] = () => whenReady(tracker => tracker.pageview());
export const identify = (who: never, traits?: never): void => whenReady(tracker => tracker.identify(who, traits));
export const revenue: Tracker['revenue'] = (...args) => whenReady(tracker => tracker.revenue(...args));
