/**
 * A line of a web server's access log in the combined format (Apache's and nginx's default):
 *
 *     host ident user [17/May/2015:10:05:03 +0000] "GET /a?b HTTP/1.1" 200 1234 "referrer" "user agent"
 *
 * What follows the user agent is ignored: many logs have fields of their own there.
 */
import { utcDayOf } from '../../model/time.ts';

export interface LoggedRequest {
  /** UTC milliseconds. */
  at: number;
  /** Address of the client, or its name where the server looked it up; empty when it was not logged. */
  host: string;
  /** Empty when the request line made no sense, as are the two after it. */
  method: string;
  /** As it was sent: usually a path with its query. */
  target: string;
  /** 0 when it was not logged. */
  status: number;
  referrer: string;
  userAgent: string;
}

const quoted = '"([^"\\\\]*(?:\\\\.[^"\\\\]*)*)"';
const time = '\\[(\\d{2})/([A-Z][a-z]{2})/(\\d{4}):(\\d{2}):(\\d{2}):(\\d{2}) ([+-])(\\d{2})(\\d{2})\\]';
const line = new RegExp(`^(\\S+) .*? ${time} ${quoted} (\\d{3}|-) (?:\\d+|-) ${quoted} ${quoted}(?:\\s|$)`, 's');
/** HTTP/0.9 has no protocol behind the target. */
const requestLine = /^([A-Za-z][A-Za-z-]*) (\S.*?)(?: HTTP\/\d(?:\.\d)?)?$/s;

/** Null when the text is not such a line. Never throws. */
export const parseCombined = (text: string): LoggedRequest | null => {
  const match = line.exec(text);
  if (match === null) return null;
  const [
    ,
    host,
    day,
    month,
    year,
    hour,
    minute,
    second,
    sign,
    zoneHours,
    zoneMinutes,
    request,
    status,
    referrer,
    userAgent,
  ] = match as unknown as string[];
  const at = instantOf(Number(year), months.indexOf(month!), Number(day), Number(hour), Number(minute), Number(second));
  if (at === null) return null;
  const offsetMinutes = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  const [, method = '', target = ''] = requestLine.exec(unescaped(request!)) ?? [];
  return {
    at: at - offsetMinutes * 60_000,
    host: present(host!),
    method,
    target,
    status: status === '-' ? 0 : Number(status),
    referrer: present(unescaped(referrer!)),
    userAgent: present(unescaped(userAgent!)),
  };
};

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Null for a date or time that does not exist. The last second of a day may be a leap second. */
const instantOf = (
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number | null => {
  if (month < 0 || hour > 23 || minute > 59 || second > 60) return null;
  const midnight = Date.UTC(year, month, day);
  if (new Date(midnight).getUTCDate() !== day || utcDayOf(midnight) < 0) return null;
  return midnight + hour * 3_600_000 + minute * 60_000 + Math.min(second, 59) * 1000;
};

/** A field that was not there is logged as a dash. */
const present = (field: string): string => (field === '-' ? '' : field);

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v' };

/** Undoes `\"`, `\\`, `\n` and `\xhh`, which stands for one byte, often of a longer UTF-8 character. */
const unescaped = (field: string): string => {
  if (!field.includes('\\')) return field;
  const bytes = Buffer.from(field)
    .toString('latin1')
    .replace(/\\(?:x([\da-f]{2})|(.))/gis, (_, hex: string | undefined, letter: string) =>
      hex === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return Buffer.from(bytes, 'latin1').toString();
};
