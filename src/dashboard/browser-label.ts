/** What a browser is called in the list of sign-ins: `Firefox, Linux`. */
import type { IncomingMessage } from 'node:http';

/** The first that is named counts: others name those that they descend from. */
const browsers = {
  Edg: 'Edge',
  OPR: 'Opera',
  SamsungBrowser: 'Samsung Internet',
  Firefox: 'Firefox',
  FxiOS: 'Firefox',
};
const others = { CriOS: 'Chrome', Chrome: 'Chrome', Safari: 'Safari' };
const systems = {
  iPhone: 'iPhone',
  iPad: 'iPad',
  Android: 'Android',
  Windows: 'Windows',
  'Mac OS X': 'Mac',
  CrOS: 'ChromeOS',
  Linux: 'Linux',
};

/** Empty for what is none of the usual ones. */
export const browserLabel = ({ headers }: IncomingMessage): string => {
  const agent = (headers['user-agent'] ?? '').slice(0, 500);
  const named = (names: Readonly<Record<string, string>>): string | undefined =>
    Object.entries(names).find(([part]) => agent.includes(part))?.[1];
  return [named({ ...browsers, ...others }), named(systems)].filter(name => name !== undefined).join(', ');
};
