/**
 * A line of an access log in JSON: Caddy's, and nginx's where its fields are called as its
 * variables are (`log_format x escape=json '{"remote_addr":"$remote_addr", …}'`).
 * https://caddyserver.com/docs/logging, https://nginx.org/en/docs/http/ngx_http_log_module.html
 */
import { isRecord, recordIn } from '../model/record.ts';
import { type LoggedRequest, loggedTime, requestIn } from './combined.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Null when the text is not such a line. Never throws. */
export const parseJsonLog = (text: string): LoggedRequest | null => {
  const line = recordIn(text);
  if (line === null) return null;
  return isRecord(line.request) ? ofCaddy(line, line.request) : ofNginx(line);
};

const ofCaddy = (line: Fields, request: Fields): LoggedRequest | null => {
  const at = instantOf(line.ts);
  const { method, uri } = request;
  if (at === null || typeof method !== 'string' || typeof uri !== 'string') return null;
  const headers = isRecord(request.headers) ? request.headers : {};
  return {
    ...{ at, method, target: uri, status: Number(line.status) || 0, virtualHost: textOf(request.host) },
    // The older name is the address of a proxy, where there is one.
    host: textOf(request.client_ip) || textOf(request.remote_ip),
    ...{ referrer: firstOf(headers.Referer), userAgent: firstOf(headers['User-Agent']) },
  };
};

const ofNginx = (line: Fields): LoggedRequest | null => {
  const at = instantOf(line.time_iso8601) ?? instantOf(line.msec) ?? loggedTime(textOf(line.time_local));
  const given = { method: textOf(line.request_method), target: textOf(line.request_uri) };
  const request = given.method === '' ? requestIn(textOf(line.request)) : given;
  if (at === null || (request.target === '' && line.request === undefined)) return null;
  return {
    ...{ at, ...request, status: Number(line.status) || 0, host: textOf(line.remote_addr) },
    virtualHost: textOf(line.host) || textOf(line.http_host),
    ...{ referrer: textOf(line.http_referer), userAgent: textOf(line.http_user_agent) },
  };
};

const textOf = (value: unknown): string => (typeof value === 'string' && value !== '-' ? value : '');
const firstOf = (value: unknown): string => textOf(Array.isArray(value) ? value[0] : value);

/** Seconds since 1970, as a number or a text, or ISO 8601 with a zone. */
const instantOf = (value: unknown): number | null => {
  const isSeconds = typeof value === 'number' || (typeof value === 'string' && /^\d{9,10}(?:\.\d+)?$/.test(value));
  const isTime = typeof value === 'string' && /T.*(?:Z|[+-]\d{2}:?\d{2})$/.test(value);
  const at = isSeconds ? Math.floor(Number(value) * 1000) : isTime ? Date.parse(value as string) : Number.NaN;
  return at >= 0 && at < 1e14 ? at : null;
};
