/**
 * A line of a web server's access log in the combined format (Apache's and nginx's default):
 *
 *     host ident user [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 12 "referrer" "user agent"
 *
 * What follows the user agent is ignored: many logs have fields of their own there. The virtual
 * host may stand before it, with its port or alone (Debian's vhost_combined).
 */
import { isIP } from 'node:net';
import { dayExists } from '../model/calendar.ts';

export interface LoggedRequest {
  /** UTC milliseconds. */
  at: number;
  /** The client's address, or its name if the server looked it up; empty when not logged. */
  host: string;
  /** Empty when the request line makes no sense, and so are the next two. */
  method: string;
  /** As it was sent: usually a path with its query. */
  target: string;
  /** 0 when it was not logged. */
  status: number;
  referrer: string;
  userAgent: string;
  /** Which of the server's sites was asked; empty when not logged. */
  virtualHost: string;
}

const quoted = '"([^"\\\\]*(?:\\\\.[^"\\\\]*)*)"';
const time = '\\[(\\d\\d)/([A-Z][a-z]{2})/(\\d{4}):(\\d\\d:\\d\\d:\\d\\d) ([+-]\\d\\d)(\\d\\d)\\]';
const line = new RegExp(`^(\\S+) (.*?) ${time} ${quoted} (\\d{3}|-) (?:\\d+|-) ${quoted} ${quoted}(?:\\s|$)`, 's');
/** HTTP/0.9 has no protocol behind the target. */
const requestLine = /^([A-Za-z][A-Za-z-]*) (\S.*?)(?: HTTP\/\d(?:\.\d)?)?$/s;

/** Null when the text is not such a line. Never throws. */
export const parseCombined = (text: string): LoggedRequest | null => {
  const match = line.exec(text);
  if (match === null) return null;
  const [, first, more, day, month, year, clock, zoneHours, zoneMinutes, request, status, referrer, userAgent] =
    match as unknown as string[];
  const at = instantOf(year!, month!, day!, clock!, `${zoneHours}:${zoneMinutes}`);
  if (at === null) return null;
  return {
    at,
    ...hostsIn(first!, more!),
    ...requestIn(unescaped(request!)),
    status: status === '-' ? 0 : Number(status),
    referrer: present(unescaped(referrer!)),
    userAgent: present(unescaped(userAgent!)),
  };
};

/** Method and target of a request line; empty texts where it makes no sense. */
export const requestIn = (text: string): Pick<LoggedRequest, 'method' | 'target'> => {
  const [, method = '', target = ''] = requestLine.exec(text) ?? [];
  return { method, target };
};

/** A single colon separates a name and its port: no address has one alone. */
const hostsIn = (first: string, more: string): Pick<LoggedRequest, 'host' | 'virtualHost'> => {
  const [second = ''] = more.split(' ', 1);
  const [, name, port] = /^([^:]+)(:\d+)?$/.exec(first) ?? [];
  const isVirtual = port !== undefined || (name !== undefined && isIP(first) === 0 && isIP(second) !== 0);
  if (!isVirtual || more.split(' ').length < 3) return { host: present(first), virtualHost: '' };
  return { host: present(second), virtualHost: present(name!) };
};

const timeAlone = new RegExp(`^${time}$`);

/** The time of a log without its brackets, `17/May/2015:10:05:03 +0000`; null for what is none. */
export const loggedTime = (text: string): number | null => {
  const [, day, month, year, clock, hours, minutes] = (timeAlone.exec(`[${text}]`) ?? []) as unknown as string[];
  return day === undefined ? null : instantOf(year!, month!, day, clock!, `${hours}:${minutes}`);
};

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Null for a date or time that does not exist, or before 1970. */
const instantOf = (year: string, monthName: string, day: string, clock: string, zone: string): number | null => {
  const month = months.indexOf(monthName) + 1;
  // Date.parse takes 24:00 for the next midnight, and no leap second.
  if (!dayExists(Number(year), month, Number(day)) || clock.startsWith('24')) return null;
  const date = `${year}-${String(month).padStart(2, '0')}-${day}`;
  const at = Date.parse(`${date}T${clock.replace(/60$/, '59')}${zone}`);
  return at >= 0 ? at : null;
};

/** A field that was not there is logged as a dash. */
const present = (field: string): string => (field === '-' ? '' : field);

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v' };

/** Undoes `\"`, `\\`, `\n` and `\xhh`, which is one byte, often of a longer UTF-8 character. */
const unescaped = (field: string): string => {
  if (!field.includes('\\')) return field;
  const bytes = Buffer.from(field)
    .toString('latin1')
    .replace(/\\(?:x([\da-f]{2})|(.))/gis, (_, hex: string | undefined, letter: string) =>
      hex === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return Buffer.from(bytes, 'latin1').toString();
};
