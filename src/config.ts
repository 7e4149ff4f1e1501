/**
 * The settings: every one an environment variable and a flag of the commands it matters to. One row each, with its unit, its
 * default and the reason for it. Bounds that every caller meets are not settings: see model/limits.ts.
 */
import { availableParallelism } from 'node:os';
import { canonicalRange } from './model/address.ts';
import { bodyBytesMax } from './model/limits.ts';
import { type Plan, plans } from './model/site.ts';
import { newTextsMaxDefault } from './store/texts.ts';

/** A setting that cannot be used as it stands; the message is one clear sentence. */
export class SettingError extends Error {}

export interface Setting<T> {
  /** Name of the environment variable. */
  env: string;
  /** What stands for the value in the help. */
  value: string;
  /** The default, written as it would stand in the environment; null where leaving it out means something of its own. */
  initial: string | null;
  /** What it does, and why the default is what it is. */
  meaning: string;
  /** Throws SettingError with the rest of the sentence `it …`. */
  parse: (text: string) => T;
}

/** Thrown text completes the sentence "PORT is "x": it …". */
const refuse = (rest: string): never => {
  throw new SettingError(rest);
};

const text = (value: string): string => value;

const whole =
  (from: number, to: number, unit = 1) =>
  (value: string): number =>
    /^\d{1,15}$/.test(value) && Number(value) >= from && Number(value) <= to
      ? Number(value) * unit
      : refuse(`must be a whole number from ${from} to ${to}`);

/** An address without a slash at its end, so that paths can be put behind it. */
const address = (value: string): string => {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value))
    return refuse('must be an address that begins with http:// or https://');
  const url = new URL(value);
  if (url.search !== '' || url.hash !== '' || url.username !== '')
    return refuse('must have neither user, query nor hash');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
};

/** The address of pages, which live at the root of their host: a proxy cannot put them below a path. */
const root = (value: string): string => {
  const url = address(value);
  return url === new URL(url).origin ? url : refuse('must be a host of its own, without a path behind it');
};

const proxies = (value: string): string[] =>
  value
    .split(/[\s,]+/)
    .filter(entry => entry !== '')
    .map(entry => {
      if (entry === 'loopback' || entry === 'private') return entry;
      return canonicalRange(entry) ?? refuse('must be a list of loopback, private, addresses and CIDR ranges');
    });

const plansWithQuota = plans.filter(plan => plan !== 'unlimited');

const quotas = (value: string): Partial<Record<Plan, number>> => {
  const entries = value.split(/[\s,]+/).map(entry => /^(\w+)=(\d{1,15})$/.exec(entry));
  const found: Partial<Record<Plan, number>> = {};
  for (const entry of entries) {
    const plan = plansWithQuota.find(name => name === entry?.[1]);
    if (plan === undefined) return refuse('must look like hobby=10000,pro=100000,business=1000000');
    found[plan] = Number(entry![2]);
  }
  return found;
};

const must = <T>(setting: Setting<T>): Setting<T> => setting;
const may = <T>(setting: Omit<Setting<T>, 'initial'>): Setting<T | null> => ({ ...setting, initial: null });

const MiB = 1024 * 1024;

export const settings = {
  dataDir: must({
    env: 'DAYBOOK_DATA',
    value: 'DIR',
    initial: './data',
    meaning: 'Directory of the database',
    parse: text,
  }),
  host: must({
    env: 'HOST',
    value: 'ADDRESS',
    initial: '127.0.0.1',
    meaning: 'Address to listen on. Only this machine by default: a reverse proxy with TLS belongs in front',
    parse: text,
  }),
  port: must({
    env: 'PORT',
    value: 'PORT',
    initial: '8080',
    meaning: 'Port of the dashboard, the API and the collector; 0 takes any free one',
    parse: whole(0, 65_535),
  }),
  collectorPort: may({
    env: 'COLLECTOR_PORT',
    value: 'PORT',
    meaning: 'A second port for the collector alone, which can then be public while the first is not',
    parse: whole(0, 65_535),
  }),
  baseUrl: may({
    env: 'BASE_URL',
    value: 'URL',
    meaning: 'Address at which people reach the dashboard, without a path; by default the one listened on',
    parse: root,
  }),
  collectorUrl: may({
    env: 'COLLECTOR_URL',
    value: 'URL',
    meaning: 'Address at which browsers reach the collector; by default its own port, or else BASE_URL',
    parse: address,
  }),
  trustProxy: must({
    env: 'TRUST_PROXY',
    value: 'LIST',
    initial: 'loopback',
    meaning:
      'Proxies whose X-Forwarded-For is believed: loopback, private, addresses and CIDR ranges. A proxy usually runs on the same machine',
    parse: proxies,
  }),
  geoDb: may({
    env: 'GEO_DB',
    value: 'FILE',
    meaning: 'A MaxMind city database (.mmdb) in place of the one that ships with Daybook',
    parse: text,
  }),
  queryWorkers: must({
    env: 'QUERY_WORKERS',
    value: 'N',
    initial: String(Math.max(2, availableParallelism() - 1)),
    meaning:
      'Threads that answer questions. One core is left to the collector, and a question is shared by all of them',
    parse: whole(1, 64),
  }),
  queryCacheBytes: may({
    env: 'QUERY_CACHE_MB',
    value: 'MIB',
    meaning:
      'Memory for what is kept of sealed days, over all query threads. What it does not hold is read from the file again, which makes a question take up to twice as long. With more than 10 million hits at the start it is in proportion to them, up to an eighth of the memory',
    parse: whole(1, 1_048_576, MiB),
  }),
  queryDeadlineMs: must({
    env: 'QUERY_DEADLINE_S',
    value: 'SECONDS',
    initial: '30',
    meaning: 'Time after which a question is given up. Proxies give up after 60 seconds',
    parse: whole(1, 3600, 1000),
  }),
  queryQueueMax: must({
    env: 'QUERY_QUEUE_MAX',
    value: 'N',
    initial: '256',
    meaning: 'Questions that may wait for a thread; more are answered with 503',
    parse: whole(1, 100_000),
  }),
  connectionsMax: must({
    env: 'CONNECTIONS_MAX',
    value: 'N',
    initial: '10000',
    meaning: 'Connections that may be open on each port; more are closed at once. Some 200 MB if all are slow',
    parse: whole(10, 1_000_000),
  }),
  hitQueueMax: must({
    env: 'HIT_QUEUE_MAX',
    value: 'N',
    initial: '20000',
    meaning: 'Hits that may wait for the disk; more are answered with 503. About half a second of full speed',
    parse: whole(1, 1_000_000),
  }),
  hitQueueBytesMax: must({
    env: 'HIT_QUEUE_MB',
    value: 'MIB',
    initial: '64',
    meaning: 'The same as a bound on memory, for large hits',
    parse: whole(1, 16_384, MiB),
  }),
  newTextsMax: must({
    env: 'NEW_TEXTS_MAX',
    value: 'N',
    initial: String(newTextsMaxDefault),
    meaning:
      'New paths, titles, event names, property values … that a site may bring on one day; the rest are shown as (other). Some 40 MB a day',
    parse: whole(1, 100_000_000),
  }),
  metricsToken: may({
    env: 'METRICS_TOKEN',
    value: 'TOKEN',
    meaning: 'What GET /metrics must carry as a bearer token; without one it answers programs on this machine alone',
    parse: text,
  }),
  shutdownMs: must({
    env: 'SHUTDOWN_S',
    value: 'SECONDS',
    initial: '8',
    meaning: 'Time that open answers get when the server is stopped. Supervisors kill after 10 seconds',
    parse: whole(0, 3600, 1000),
  }),
  planQuotas: may({
    env: 'PLAN_QUOTAS',
    value: 'LIST',
    meaning: 'Hits a month that each plan includes, for daybook usage: hobby=10000,pro=100000',
    parse: quotas,
  }),
};

export type SettingName = keyof typeof settings;
export const settingNames = Object.keys(settings) as SettingName[];
export type Config = { [N in SettingName]: ReturnType<(typeof settings)[N]['parse']> };

export type Environment = Readonly<Record<string, string | undefined>>;
/** Flags as given on the command line, by the name after `--`. */
export type GivenFlags = Readonly<Record<string, unknown>>;

/** The flag of a setting: `--collector-port` for COLLECTOR_PORT. */
export const flagOf = (name: SettingName): string =>
  settings[name].env.replace('DAYBOOK_', '').toLowerCase().replaceAll('_', '-');

/** One setting: the flag, else the environment variable, else the default. An empty variable is one that is not set. */
export const readSetting = <N extends SettingName>(name: N, env: Environment, flags: GivenFlags): Config[N] => {
  const setting = settings[name] as Setting<unknown>;
  const flag = flags[flagOf(name)];
  const given = typeof flag === 'string' ? flag : env[setting.env] || undefined;
  const value = given ?? setting.initial;
  if (value === null) return null as Config[N];
  try {
    return setting.parse(value) as Config[N];
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    const source = typeof flag === 'string' ? `--${flagOf(name)}` : setting.env;
    throw new SettingError(`${source} is ${JSON.stringify(value)}: it ${error.message}.`);
  }
};

/** All settings. Throws SettingError for the first that cannot be used, alone or beside the others. */
export const readConfig = (env: Environment, flags: GivenFlags): Config => {
  const config = Object.fromEntries(settingNames.map(name => [name, readSetting(name, env, flags)])) as Config;
  const demand = (holds: boolean, sentence: string): void => {
    if (!holds) throw new SettingError(sentence);
  };
  const { port, collectorPort, queryCacheBytes, queryWorkers, hitQueueBytesMax } = config;
  demand(
    port === 0 || port !== collectorPort,
    'PORT and COLLECTOR_PORT are the same: leave COLLECTOR_PORT out to serve both on one.',
  );
  demand(
    queryCacheBytes === null || queryCacheBytes / queryWorkers >= MiB,
    'QUERY_CACHE_MB leaves less than 1 MiB to each of the QUERY_WORKERS: raise the one or lower the other.',
  );
  demand(hitQueueBytesMax >= bodyBytesMax, 'HIT_QUEUE_MB does not hold a single hit.');
  return config;
};
