/**
 * The settings. Each is an environment variable, and a flag of the commands that use it. One row
 * each, with its unit, its default and the reason for it. Limits that callers meet are not
 * settings: see model/limits.ts.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isPrivateWay, isThisMachine } from './model/address.ts';
import { canonicalRange } from './model/ip-ranges.ts';
import { bodyBytesMax, keepDaysMax } from './model/limits.ts';
import { type Mailbox, type MailSettings, type SmtpServer, smtpTls } from './model/mail.ts';
import { type OidcGroup, type OidcSettings, oidcCreates } from './model/oidc.ts';
import { memberRoles } from './model/person.ts';
import { isLimitable } from './model/rights.ts';
import { readShards } from './model/shards.ts';
import { type Plan, plans } from './model/site.ts';
import { domainOf, emailOf, type ValueError } from './model/values.ts';
import type { LoginBounds } from './store/accounts/logins.ts';
import type { PointsKept } from './store/copies/keep.ts';
import type { PlaceSettings } from './store/copies/place.ts';

/** A setting has a value that cannot be used; the message is one clear sentence. */
export class SettingError extends Error {}

export interface Setting<T> {
  /** Name of the environment variable. */
  env: string;
  /** No error repeats what was given, and a file can hold it, which `…_FILE` names. */
  isSecret?: true;
  /** It is no flag: other users of a machine read its command lines. */
  isNoFlag?: true;
  /** What stands for the value in the help. */
  value: string;
  /**
   * The default, as one would write it in the environment; null where `meaning` says what happens
   * without it.
   */
  initial: string | null;
  /** The default in words, where machines and their data differ. */
  shown?: string;
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

/** An address without a slash at its end, so that a path can follow it. */
const address = (value: string): string => {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value))
    return refuse('must be an address that begins with http:// or https://');
  const url = new URL(value);
  if (url.search !== '' || url.hash !== '' || url.username !== '') return refuse('must not have a user, query or hash');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
};

/**
 * The address of pages. They live at the root of their host: a proxy cannot put them below a path.
 */
const root = (value: string): string => {
  const url = address(value);
  return url === new URL(url).origin ? url : refuse('must be a host of its own, without a path');
};

/** What a function for typed values reads, with its own sentence where it reads nothing. */
const typed =
  <T>(read: (value: string) => T) =>
  (value: string): T => {
    try {
      return read(value);
    } catch (error) {
      return refuse(`cannot be used: ${(error as ValueError).message.replace(/\.$/, '')}`);
    }
  };

const words = (value: string): string[] => value.split(/[\s,]+/).filter(word => word !== '');

const proxies = (value: string): string[] =>
  words(value).map(word => {
    if (word === 'loopback' || word === 'private') return word;
    return canonicalRange(word) ?? refuse('must be a list of loopback, private, addresses and CIDR ranges');
  });

const origins = (value: string): string[] =>
  words(value).map(word =>
    URL.canParse(word) && new URL(word).origin === word
      ? word
      : refuse('must be a list of origins such as https://example.com'),
  );

const hostsAndRanges = (value: string): string[] =>
  words(value).map(entry => {
    if (entry === 'loopback' || entry === 'private') return entry;
    const host = entry.toLowerCase();
    const isHost = URL.canParse(`https://${host}`) && new URL(`https://${host}`).host === host;
    return canonicalRange(entry) ?? (isHost ? host : refuse('must be a list of hosts, addresses and CIDR ranges'));
  });

const onOrOff = (value: string): boolean =>
  /^(on|1)$/.test(value) || (/^(off|0)$/.test(value) ? false : refuse('must be on or off'));

/** Whole numbers of some names, of at most so many digits. */
const numbersOf = <N extends string>(names: readonly N[], digitsMax: number, example: string) => {
  const entry = new RegExp(`^(${names.join('|')})=(\\d{1,${digitsMax}})$`);
  return (value: string): Partial<Record<N, number>> =>
    Object.fromEntries(
      value.split(/[\s,]+/).map(each => {
        const [, name, count] = entry.exec(each) ?? refuse(`must look like ${example}`);
        return [name, Number(count)];
      }),
    ) as Partial<Record<N, number>>;
};

const quotas = numbersOf<Plan>(
  plans.filter(plan => plan !== 'unlimited'),
  15,
  'hobby=10000,pro=100000,business=1000000',
);

const spans = numbersOf(['minutes', 'hours', 'days', 'months'], 6, 'minutes=60,hours=48,days=30,months=12');
const keeps = (value: string): PointsKept => ({ minutes: 0, hours: 0, days: 0, months: 0, ...spans(value) });

const oneOf =
  <const T extends string>(values: readonly T[]) =>
  (value: string): T =>
    values.find(each => each === value) ?? refuse(`must be one of ${values.join(', ')}`);

/** An address as it is: the slash at its end may belong to a provider’s name. */
const issuer = (value: string): string => {
  address(value);
  return isPrivateWay(value) ? value : refuse('must begin with https://');
};

const smtpPorts: Readonly<Record<string, number>> = { 'smtps:': 465, 'smtp:': 587 };

const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('holds a % that is no escape: write %25 for it');
  }
};

const smtpServer = (value: string): SmtpServer => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const preset = url && smtpPorts[url.protocol];
  if (
    url === undefined ||
    preset === undefined ||
    url.hostname === '' ||
    !/^\/?$/.test(url.pathname) ||
    url.search !== ''
  )
    return refuse('must look like smtps://user:password@smtp.example.com:465 or smtp://smtp.example.com:587');
  const [user, password] = [unescaped(url.username), unescaped(url.password)];
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? preset : Number(url.port),
    isSecure: url.protocol === 'smtps:',
    login: user === '' ? null : { user, password },
  };
};

const mailbox = (value: string): Mailbox => {
  const [, name = '', address] = /^([^<>@"\p{Cc}]*)<([^<>]+)>$/u.exec(value.trim()) ?? [];
  try {
    return { name: name.trim(), address: emailOf(address ?? value) };
  } catch {
    return refuse('must look like reports@example.com or Daybook <reports@example.com>');
  }
};

const groups = (value: string): OidcGroup[] =>
  value.split(',').map(entry => {
    const [, group = '', name, site] = /^\s*(.+?)=(\w+)(?:@(\S+))?\s*$/.exec(entry) ?? [];
    const role = memberRoles.find(each => each === name);
    return role === undefined || (site !== undefined && !isLimitable(role))
      ? refuse('must look like analytics-admins=admin, marketing=viewer@shop.example')
      : { group, role, site };
  });

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
    meaning:
      'Address to listen on. The default is reachable from this machine only: put a reverse proxy with TLS in front',
    parse: text,
  }),
  port: must({
    env: 'PORT',
    value: 'PORT',
    initial: '8080',
    meaning: 'Port of the dashboard, the API and the collector; 0 takes any free port',
    parse: whole(0, 65_535),
  }),
  collectorPort: may({
    env: 'COLLECTOR_PORT',
    value: 'PORT',
    meaning:
      'A second port for the collector alone, so that only the collector has to be public. PORT goes on taking hits',
    parse: whole(0, 65_535),
  }),
  baseUrl: may({
    env: 'BASE_URL',
    value: 'URL',
    meaning: 'Address where people reach the dashboard, without a path; by default the address listened on',
    parse: root,
  }),
  collectorUrl: may({
    env: 'COLLECTOR_URL',
    value: 'URL',
    meaning: 'Address where browsers reach the collector; by default its own port, or else BASE_URL',
    parse: address,
  }),
  trustProxy: must({
    env: 'TRUST_PROXY',
    value: 'LIST',
    initial: 'loopback',
    meaning:
      'Proxies whose X-Forwarded-For is trusted: loopback, private, addresses and CIDR ranges. The default suits a proxy on the same machine',
    parse: proxies,
  }),
  geoDb: may({
    env: 'GEO_DB',
    value: 'FILE',
    meaning: 'A MaxMind city database (.mmdb) to use instead of the one that ships with Daybook',
    parse: text,
  }),
  geoAsnDb: may({
    env: 'GEO_ASN_DB',
    value: 'FILE',
    meaning: 'A MaxMind database of networks (ASN, .mmdb) to use instead of the one that ships with Daybook',
    parse: text,
  }),
  queryWorkers: must({
    env: 'QUERY_WORKERS',
    value: 'N',
    initial: String(Math.max(2, availableParallelism() - 1)),
    shown: 'processors less one, at least 2',
    meaning: 'Threads that answer questions. They share each question, and leave one core to the collector',
    parse: whole(1, 64),
  }),
  queryCacheBytes: may({
    env: 'QUERY_CACHE_MB',
    shown: 'an eighth of the memory, at most 256',
    value: 'MIB',
    meaning:
      'Memory in which the query threads together keep sealed days. Other days are read from the file again, which can double the time of a question with a filter. The memory is that of the machine or container',
    parse: whole(1, 1_048_576, MiB),
  }),
  queryBytes: may({
    env: 'QUERY_MEMORY_MB',
    shown: 'an eighth of the memory, at least 256',
    value: 'MIB',
    meaning:
      'Memory that one question may use for its results, besides the cache. A question that needs more is answered with 400',
    parse: whole(1, 1_048_576, MiB),
  }),
  queryDeadlineMs: must({
    env: 'QUERY_DEADLINE_S',
    value: 'SECONDS',
    initial: '30',
    meaning: 'Time limit of a question. Most proxies wait for 60 seconds',
    parse: whole(1, 3600, 1000),
  }),
  queryQueueMax: must({
    env: 'QUERY_QUEUE_MAX',
    value: 'N',
    initial: '256',
    meaning:
      'Questions that may wait: half of them of one account, an eighth of its public pages; further ones get a 503',
    parse: whole(1, 100_000),
  }),
  connectionsMax: must({
    env: 'CONNECTIONS_MAX',
    value: 'N',
    initial: '10000',
    meaning:
      'Open connections per port; beyond that, a connection of the network that has the most is closed. About 200 MB if all are slow',
    parse: whole(10, 1_000_000),
  }),
  hitQueueMax: must({
    env: 'HIT_QUEUE_MAX',
    value: 'N',
    initial: '20000',
    meaning: 'Hits that may wait for the disk; further ones get a 503. The default is about a second at full speed',
    parse: whole(1, 1_000_000),
  }),
  hitQueueBytesMax: must({
    env: 'HIT_QUEUE_MB',
    value: 'MIB',
    initial: '64',
    meaning: 'Memory for the hits that wait for the disk, for when hits are large',
    parse: whole(1, 16_384, MiB),
  }),
  senderHits: must({
    env: 'SENDER_HITS',
    value: 'N',
    initial: '50',
    meaning:
      'Hits a second that one network (/24 of IPv4, /48 of IPv6) may send to a site in the long run; further ones get a 429. A site can have a number of its own',
    parse: whole(1, 1_000_000),
  }),
  senderBurst: must({
    env: 'SENDER_BURST',
    value: 'N',
    initial: '1000',
    meaning: 'Hits that such a network may send at once, after a while without',
    parse: whole(1, 1_000_000),
  }),
  newTextsMax: must({
    env: 'NEW_TEXTS_MAX',
    value: 'N',
    initial: '200000',
    meaning:
      'New pages that a site may add in a day, and as many titles, query strings, property values and traits; of other texts fewer. The rest become (other). The default bounds what strangers can add to 300 MB a day and site',
    parse: whole(1, 100_000_000),
  }),
  keepHitsDays: may({
    env: 'KEEP_HITS_DAYS',
    value: 'DAYS',
    meaning:
      'How many days are kept of each site that says nothing else: older ones are deleted after midnight (UTC); unset: all. `daybook site set example.com --keep-days 730` is for one site',
    parse: whole(1, keepDaysMax),
  }),
  auditDays: must({
    env: 'AUDIT_DAYS',
    value: 'DAYS',
    initial: '730',
    meaning: 'How long it is kept what people did (docs/people.md, “Audit”); 0 keeps it for ever',
    parse: whole(0, 36_500),
  }),
  auditLog: must({
    env: 'AUDIT_LOG',
    value: 'on|off',
    initial: 'off',
    meaning: 'Whether what people do is also written to the log, a line for each',
    parse: onOrOff,
  }),
  importUploadBytes: must({
    env: 'IMPORT_UPLOAD_MB',
    value: 'MB',
    initial: '2000',
    meaning:
      'Files of an account that may wait in the data directory to be imported through the dashboard; larger ones by command',
    parse: whole(0, 1_000_000, 1_000_000),
  }),
  backupTo: may({
    env: 'BACKUP_TO',
    value: 'PLACE',
    meaning:
      'Where the server keeps copies of its data: a directory, s3://bucket/folder, or https://host/bucket/folder of a server that speaks S3',
    parse: text,
  }),
  backupKey: may({
    env: 'BACKUP_KEY',
    isSecret: true,
    value: 'KEY',
    meaning:
      'Key that copies are encrypted with, 64 hexadecimal digits. Without it they cannot be read: keep it elsewhere',
    parse: value => (/^[0-9a-f]{64}$/i.test(value) ? value : refuse('must be 64 hexadecimal digits')),
  }),
  backupEveryMs: must({
    env: 'BACKUP_EVERY_S',
    value: 'SECONDS',
    initial: '30',
    meaning: 'Time between two copies. A lost disk costs this, and the time that a copy takes',
    parse: whole(1, 86_400, 1000),
  }),
  backupKeep: must({
    env: 'BACKUP_KEEP',
    value: 'LIST',
    initial: 'minutes=60,hours=48,days=30,months=12',
    meaning: 'Which copies stay: all of the last minutes, and one of each hour, day and month',
    parse: keeps,
  }),
  backupVerifyMs: must({
    env: 'BACKUP_VERIFY_H',
    value: 'HOURS',
    initial: '24',
    meaning: 'Time between two proofs that a copy can be restored, each of which reads all of it; 0 for none',
    parse: whole(0, 8760, 3_600_000),
  }),
  awsAccessKeyId: may({
    env: 'AWS_ACCESS_KEY_ID',
    value: 'ID',
    meaning: 'Who the server is to the bucket of BACKUP_TO',
    parse: text,
  }),
  awsSecretAccessKey: may({
    env: 'AWS_SECRET_ACCESS_KEY',
    isSecret: true,
    value: 'SECRET',
    meaning: 'The secret that belongs to AWS_ACCESS_KEY_ID',
    parse: text,
  }),
  awsRegion: must({
    env: 'AWS_REGION',
    value: 'REGION',
    initial: 'us-east-1',
    meaning: 'Region of the bucket of BACKUP_TO. Most other servers than Amazon take any',
    parse: text,
  }),
  clickhouse: may({
    env: 'CLICKHOUSE',
    isSecret: true,
    value: 'URLS',
    meaning:
      'The ClickHouse servers of the cluster: http://user:password@host:8123/database. Replicas of a shard are divided by commas, shards by semicolons',
    parse: value =>
      readShards(value) ??
      refuse('must be addresses that begin with http:// or https://, divided by commas and semicolons'),
  }),
  clusterToken: may({
    env: 'CLUSTER_TOKEN',
    isSecret: true,
    isNoFlag: true,
    value: 'TOKEN',
    meaning:
      'What daybook cluster invite printed for this collector or answering server. Whoever has it learns the user and password of ClickHouse and what its role needs (docs/cluster.md, “Tokens”). On a primary: one more token, good for all servers, of at least 16 characters',
    parse: value => (value.length >= 16 ? value : refuse('must have at least 16 characters')),
  }),
  primary: may({
    env: 'PRIMARY',
    value: 'URL',
    meaning:
      'For daybook collect and daybook answer: where they reach the primary, which is daybook serve of the same cluster',
    parse: root,
  }),
  keepDays: must({
    env: 'KEEP_DAYS',
    value: 'DAYS',
    initial: '1',
    meaning: 'For daybook collect: days before today that it keeps after ClickHouse has them on every replica',
    parse: whole(1, 36_500),
  }),
  mcp: must({
    env: 'MCP',
    value: 'on|off',
    initial: 'on',
    meaning: 'Whether assistants can ask at /mcp (docs/mcp.md). Nothing is answered there without a key',
    parse: onOrOff,
  }),
  mcpOrigins: must({
    env: 'MCP_ORIGINS',
    value: 'LIST',
    initial: '',
    shown: 'none',
    meaning:
      'Origins of web pages that may ask at /mcp, such as https://inspector.example. Programs that are no pages need none',
    parse: origins,
  }),
  mcpVisits: must({
    env: 'MCP_VISITS',
    value: 'on|off',
    initial: 'off',
    meaning:
      'Whether assistants can read single visits, which may name persons: they leave for the maker of the assistant',
    parse: onOrOff,
  }),
  metricsToken: may({
    env: 'METRICS_TOKEN',
    isSecret: true,
    value: 'TOKEN',
    meaning:
      'Bearer token that GET /metrics, /metrics/sites and /health?detail require. Without one, they answer only programs on this machine that ask for localhost or 127.0.0.1',
    parse: text,
  }),
  metricsSites: must({
    env: 'METRICS_SITES',
    value: 'N',
    initial: '0',
    meaning:
      'How many sites GET /metrics/sites tells the traffic of, the oldest first; 0 for none. Each is up to 15 series',
    parse: whole(0, 10_000),
  }),
  provision: may({
    env: 'PROVISION',
    value: 'FILE',
    meaning:
      'File that teams, sites and what belongs to them are set up from, at the start, on SIGHUP and when it changes (docs/provisioning.md)',
    parse: text,
  }),
  adminEmail: may({
    env: 'ADMIN_EMAIL',
    value: 'EMAIL',
    meaning:
      'E-mail of the first person, who owns the team default and is an operator. It counts while there is nobody (docs/provisioning.md)',
    parse: typed(emailOf),
  }),
  adminPassword: may({
    env: 'ADMIN_PASSWORD',
    isSecret: true,
    isNoFlag: true,
    value: 'PASSWORD',
    meaning: 'Their password. It counts while there is nobody, and never changes a later one',
    parse: text,
  }),
  sites: must({
    env: 'SITES',
    value: 'LIST',
    initial: '',
    shown: 'none',
    meaning: 'Domains of sites that the team default gets at a start where nobody has such a site',
    parse: value => [...new Set(words(value).map(typed(domainOf)))],
  }),
  apiKeyFile: may({
    env: 'API_KEY_FILE',
    value: 'FILE',
    meaning:
      'File of the first API key, which may do all that a key can. Where there is no such file, the server makes the key and writes it there. It counts while no key was ever made',
    parse: text,
  }),
  sessionIdleMs: must({
    env: 'SESSION_IDLE_MIN',
    value: 'MINUTES',
    initial: '43200',
    shown: '43200 (30 days)',
    meaning: 'Minutes without use after which somebody is signed out of the dashboard',
    parse: whole(1, 576_000, 60_000),
  }),
  sessionMaxMs: may({
    env: 'SESSION_MAX_H',
    value: 'HOURS',
    meaning: 'Hours after which somebody is signed out, however much they do; by default never',
    parse: whole(1, 87_600, 3_600_000),
  }),
  oidcIssuer: may({
    env: 'OIDC_ISSUER',
    value: 'URL',
    meaning:
      'The OpenID Connect provider that people sign in with, as it names itself (docs/people.md, “Signing in with a provider”). BASE_URL must be set, and on https',
    parse: issuer,
  }),
  oidcClientId: may({
    env: 'OIDC_CLIENT_ID',
    value: 'ID',
    meaning: 'What the provider calls this server',
    parse: text,
  }),
  oidcClientSecret: may({
    env: 'OIDC_CLIENT_SECRET',
    isSecret: true,
    isNoFlag: true,
    value: 'SECRET',
    meaning: 'The secret that belongs to OIDC_CLIENT_ID; without one the server is a public client',
    parse: text,
  }),
  oidcName: may({
    env: 'OIDC_NAME',
    value: 'NAME',
    meaning: 'What the page of signing in calls the provider; by default the host of OIDC_ISSUER',
    parse: text,
  }),
  oidcScopes: must({
    env: 'OIDC_SCOPES',
    value: 'LIST',
    initial: 'openid email profile',
    meaning: 'What the provider is asked for. Some give groups only for a scope of their own',
    parse: value => {
      const scopes = words(value);
      return scopes.includes('openid') ? scopes.join(' ') : refuse('must have openid in it');
    },
  }),
  oidcCreate: must({
    env: 'OIDC_CREATE',
    value: 'WHO',
    initial: 'invited',
    meaning:
      'Who may come in for the first time: invited, those with an invitation; domain, all with a verified e-mail of OIDC_DOMAINS; anybody, all with a verified e-mail',
    parse: oneOf(oidcCreates),
  }),
  oidcDomains: must({
    env: 'OIDC_DOMAINS',
    value: 'LIST',
    initial: '',
    meaning:
      'Domains of e-mails that the provider vouches for, such as example.com. Who comes with a verified one of them is the person here who has it; anybody else proves once who they are',
    parse: value => words(value.toLowerCase()),
  }),
  oidcRole: must({
    env: 'OIDC_ROLE',
    value: 'ROLE',
    initial: 'viewer',
    meaning: 'Role of those who come in by OIDC_CREATE=domain or anybody',
    parse: oneOf(memberRoles),
  }),
  oidcAccount: must({
    env: 'OIDC_ACCOUNT',
    value: 'NAME',
    initial: 'default',
    meaning: 'Team that the provider brings people into',
    parse: text,
  }),
  oidcGroupsClaim: must({
    env: 'OIDC_GROUPS_CLAIM',
    value: 'NAME',
    initial: 'groups',
    meaning: 'Claim that lists somebody’s groups',
    parse: text,
  }),
  oidcGroups: may({
    env: 'OIDC_GROUPS',
    value: 'LIST',
    meaning:
      'Which groups are what in OIDC_ACCOUNT, like analytics-admins=admin, marketing=viewer@shop.example. Roles then follow the groups at each sign-in, and who is in none does not come in',
    parse: groups,
  }),
  oidcOnly: must({
    env: 'OIDC_ONLY',
    value: 'on|off',
    initial: 'off',
    meaning: 'on: nobody signs in by password. Passkeys and the link of daybook account link still work',
    parse: onOrOff,
  }),
  oidcSessionMs: must({
    env: 'OIDC_SESSION_H',
    value: 'HOURS',
    initial: '12',
    meaning: 'Hours after which somebody who came from the provider has to come from there again',
    parse: whole(1, 8760, 3_600_000),
  }),
  outboundPrivate: must({
    env: 'OUTBOUND_PRIVATE',
    value: 'on|off',
    initial: 'off',
    meaning:
      'on: people may name addresses of this machine and its network for channels and programs, and http. For a server whose people are all trusted',
    parse: onOrOff,
  }),
  outboundAllow: must({
    env: 'OUTBOUND_ALLOW',
    value: 'LIST',
    initial: '',
    meaning:
      'Hosts, addresses and ranges of your network that people may name for channels and programs, over http too, such as gotify.lan 10.0.3.0/24',
    parse: hostsAndRanges,
  }),
  smtpServer: may({
    env: 'SMTP_URL',
    isSecret: true,
    isNoFlag: true,
    value: 'URL',
    meaning:
      'The server that mail leaves by, such as smtps://user:password@smtp.example.com:465 or smtp://smtp.example.com:587. Without one no mail is sent (docs/reports.md)',
    parse: smtpServer,
  }),
  mailFrom: may({
    env: 'MAIL_FROM',
    value: 'ADDRESS',
    meaning: 'From whom mail is, such as Daybook <reports@example.com>; needed with SMTP_URL',
    parse: mailbox,
  }),
  smtpTls: must({
    env: 'SMTP_TLS',
    value: 'HOW',
    initial: 'required',
    meaning:
      'Whether mail is encrypted on its way to that server: required, or it is not sent; opportunistic, as the server can, whatever its certificate; none, to this machine alone',
    parse: oneOf(smtpTls),
  }),
  mailPerHour: must({
    env: 'MAIL_PER_HOUR',
    value: 'N',
    initial: '500',
    meaning: 'Mails that leave in an hour; further ones wait. Many providers allow no more',
    parse: whole(1, 1_000_000),
  }),
  mailDomains: must({
    env: 'MAIL_DOMAINS',
    value: 'LIST',
    initial: '',
    shown: 'none',
    meaning:
      'Domains, such as example.com, whose addresses get reports without being asked first. Members of a team never are',
    parse: value => words(value.toLowerCase()),
  }),
  shutdownMs: must({
    env: 'SHUTDOWN_S',
    value: 'SECONDS',
    initial: '8',
    meaning: 'Time that open answers get to finish when the server stops. Most supervisors kill after 10 seconds',
    parse: whole(0, 3600, 1000),
  }),
  planQuotas: may({
    env: 'PLAN_QUOTAS',
    value: 'LIST',
    meaning: 'Hits that each plan includes a month, like hobby=10000,pro=100000. daybook usage compares with them',
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

/** Whether a setting is read from the environment or a file alone. */
export const isNoFlag = (name: SettingName): boolean => (settings[name] as Setting<unknown>).isNoFlag === true;

/**
 * One setting: the flag, else the environment variable, else the file of a secret, else the
 * default. An empty variable counts as not set.
 */
export const readSetting = <N extends SettingName>(name: N, env: Environment, flags: GivenFlags): Config[N] => {
  const setting = settings[name] as Setting<unknown>;
  const flag = flags[flagOf(name)];
  const given = env[setting.env] || (setting.isSecret ? inFile(setting.env, env) : undefined);
  const value = typeof flag === 'string' ? flag : (given ?? setting.initial);
  if (value === null) return null as Config[N];
  try {
    return setting.parse(value) as Config[N];
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    const source = typeof flag === 'string' ? `--${flagOf(name)}` : setting.env;
    const named = setting.isSecret ? source : `${source} is ${JSON.stringify(value)}: it`;
    throw new SettingError(`${named} ${error.message}.`);
  }
};

/** What a file holds that a variable names, such as CLUSTER_TOKEN_FILE; undefined without one. */
const inFile = (name: string, env: Environment): string | undefined => {
  const file = env[`${name}_FILE`];
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    throw new SettingError(`${name}_FILE cannot be read: ${(error as Error).message}.`);
  }
};

/** Where people reach the dashboard, as far as the settings tell. */
export const baseUrlOf = (env: Environment, flags: GivenFlags): string =>
  readSetting('baseUrl', env, flags) ?? `http://${readSetting('host', env, flags)}:${readSetting('port', env, flags)}`;

/** The place of the copies; null where none are made. */
export const placeOf = (
  config: Pick<Config, 'backupTo' | 'backupKey' | 'awsAccessKeyId' | 'awsSecretAccessKey' | 'awsRegion'>,
): PlaceSettings | null => {
  const { backupTo, backupKey, awsAccessKeyId, awsSecretAccessKey, awsRegion } = config;
  if (backupTo === null) return null;
  const isKnown = awsAccessKeyId !== null && awsSecretAccessKey !== null;
  const access = isKnown
    ? { accessKeyId: awsAccessKeyId, secretAccessKey: awsSecretAccessKey, region: awsRegion }
    : null;
  return { to: backupTo, key: backupKey, access };
};

/** The provider that people sign in with; null where there is none. */
export const oidcOf = (config: Config): OidcSettings | null => {
  const { oidcIssuer, oidcClientId } = config;
  if (oidcIssuer === null || oidcClientId === null) return null;
  return {
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: config.oidcClientSecret,
    name: config.oidcName ?? new URL(oidcIssuer).host,
    scopes: config.oidcScopes,
    create: config.oidcCreate,
    domains: config.oidcDomains,
    role: config.oidcRole,
    account: config.oidcAccount,
    groupsClaim: config.oidcGroupsClaim,
    groups: config.oidcGroups,
    isOnly: config.oidcOnly,
    lastsMs: config.oidcSessionMs,
  };
};

/**
 * The provider that texts of the settings OIDC_… say which stand elsewhere. Throws SettingError
 * where they cannot be used, and where this server has a provider by its own settings.
 */
export const oidcSaidElsewhere = (texts: Environment, { oidcIssuer, baseUrl }: Config): OidcSettings => {
  if (oidcIssuer !== null)
    throw new SettingError('The environment or a flag of this server names a provider, too: say it in one place.');
  return oidcOf(readConfig({ ...texts, ...(baseUrl !== null && { BASE_URL: baseUrl }) }, {}))!;
};

/** How mail leaves; null where none does. */
export const mailOf = ({
  smtpServer: server,
  mailFrom: from,
  smtpTls: tls,
  mailPerHour,
}: Config): MailSettings | null =>
  server === null || from === null ? null : { server, from, tls, perHour: mailPerHour };

const demandMail = ({ smtpServer: server, mailFrom, smtpTls: tls }: Config, demand: Demand): void => {
  demand(server === null || mailFrom !== null, 'SMTP_URL needs MAIL_FROM: from whom mail is.');
  demand(
    server === null || tls !== 'none' || isThisMachine(server.host) || server.host === '::1',
    'SMTP_TLS is none, but SMTP_URL is another machine: mail would be read on its way.',
  );
};

/** How long people stay signed in. */
export const loginBoundsOf = (
  { sessionIdleMs, sessionMaxMs, oidcSessionMs }: Config,
  oidc: OidcSettings | null,
): LoginBounds => ({
  idleMs: sessionIdleMs,
  maxMs: sessionMaxMs,
  providerMs: oidc?.lastsMs ?? oidcSessionMs,
});

type Demand = (holds: boolean, sentence: string) => void;

/** What has to hold where people sign in with a provider. */
const demandOidc = (config: Config, demand: Demand): void => {
  const { oidcIssuer, oidcClientId, oidcCreate, oidcDomains, oidcOnly, baseUrl } = config;
  const isAsked = oidcIssuer !== null;
  demand(isAsked === (oidcClientId !== null), 'OIDC_ISSUER and OIDC_CLIENT_ID go together: set both or none.');
  demand(isAsked || !oidcOnly, 'OIDC_ONLY without OIDC_ISSUER would let nobody in.');
  demand(
    !isAsked || (baseUrl !== null && isPrivateWay(baseUrl)),
    'OIDC_ISSUER needs a BASE_URL that begins with https:// (or is on localhost): the provider sends people back there.',
  );
  demand(
    oidcCreate !== 'domain' || oidcDomains.length > 0,
    'OIDC_CREATE is domain, but OIDC_DOMAINS names none: list the domains of the e-mails that may come in.',
  );
};

/** What has to hold for the first person. */
const demandFirst = ({ adminEmail, adminPassword, oidcIssuer }: Config, demand: Demand): void => {
  demand(adminEmail !== null || adminPassword === null, 'ADMIN_PASSWORD is set, but ADMIN_EMAIL says not whose it is.');
  demand(
    adminEmail === null || adminPassword !== null || oidcIssuer !== null,
    'ADMIN_EMAIL needs ADMIN_PASSWORD, or a file of it in ADMIN_PASSWORD_FILE, unless OIDC_ISSUER lets people in.',
  );
};

/**
 * All settings. Throws SettingError for the first that cannot be used, alone or together with
 * others.
 */
export const readConfig = (env: Environment, flags: GivenFlags): Config => {
  const config = Object.fromEntries(settingNames.map(name => [name, readSetting(name, env, flags)])) as Config;
  const demand: Demand = (holds, sentence) => {
    if (!holds) throw new SettingError(sentence);
  };
  const { port, collectorPort, queryCacheBytes, queryWorkers, hitQueueBytesMax } = config;
  demand(
    port === 0 || port !== collectorPort,
    'PORT and COLLECTOR_PORT are the same: leave out COLLECTOR_PORT to serve both on one port.',
  );
  demand(
    queryCacheBytes === null || queryCacheBytes / queryWorkers >= MiB,
    'QUERY_CACHE_MB leaves less than 1 MiB for each of the QUERY_WORKERS: raise the one or lower the other.',
  );
  demand(hitQueueBytesMax >= bodyBytesMax, 'HIT_QUEUE_MB is too small for a single hit.');
  demandOidc(config, demand);
  demandMail(config, demand);
  demandFirst(config, demand);
  return config;
};
