/**
 * Hits as Plausible's scripts and its Events API send them: `POST /api/event`. Keys are short or
 * long, and the site is named by its domain.
 */
import { type FormHits, type FormRequest, formHitsMax, type HitForm, noHit } from '../../collect/forms.ts';
import { withoutWww } from '../../collect/page-url.ts';
import { outcomeHeaders, type PreparedReply, passingReply, prepared, preparedJson } from '../../collect/replies.ts';
import { parseJson } from '../../http/body.ts';
import { currencyCode, minorUnits } from '../../model/currency.ts';
import { type Outcome, outcomes } from '../../model/outcomes.ts';
import { isRecord } from '../../model/record.ts';

export const plausibleForms: readonly HitForm[] = (['GET', 'POST'] as const).map(method => ({
  method,
  path: '/api/event',
  read: request => readEvent(request),
  // A question for the identity mode names no page, but the browser says whose it is.
  siteOf: ({ find, headers }, { s, u }) =>
    nameOf(find, typeof s === 'string' ? s : '') ?? nameOf(find, hostOf(u ?? headers.origin ?? headers.referer)),
}));

type PlausibleFields = Record<string, unknown>;

/** Properties of an event. Further ones are dropped. */
const propertiesMax = 30;

const readEvent = ({ bytes, headers, find }: FormRequest): FormHits => {
  const body = parseJson(bytes);
  if (!isRecord(body)) return wrong('request', 'Unable to parse request body as json');
  const url = body.u ?? body.url;
  if (url === undefined || url === null) return wrong('url', 'is required');
  if (typeof url !== 'string') return wrong('url', 'must be a string');
  if (/^\s*data:/i.test(url)) return wrong('url', 'scheme is not allowed');
  const given = body.n ?? body.name;
  const name = typeof given === 'number' ? String(given) : given;
  if (typeof name !== 'string' || name === '') return wrong('event_name', "can't be blank");
  const domains = domainsOf(body.d ?? body.domain, url);
  if (domains.length === 0) return wrong('domain', "can't be blank");
  if (domains.length > formHitsMax) return wrong('domain', `should be at most ${formHitsMax} domains`);
  if (name === 'engagement' && wholeOf(body.e) === undefined && wholeOf(body.sd) === undefined)
    return wrong(
      'event_name',
      "engagement event requires a valid integer value for at least one of 'sd' or 'e' fields",
    );
  const hit = { ...pageOf(body, url), ...eventOf(name, body) };
  // Servers name the visitor whom they send for first.
  const [first] = headers['x-forwarded-for']?.toString().split(',') ?? [];
  const told = { address: first?.trim() };
  return {
    hits: domains.map(domain => ({
      body: { ...hit, s: nameOf(find, domain) ?? domain },
      told,
    })),
    reply: replyTo,
  };
};

/** The name, with or without `www.`, that a site is known by; undefined where none is. */
const nameOf = (find: FormRequest['find'], domain: string): string | undefined =>
  [domain, withoutWww(domain)].find(name => find(name) !== undefined);

const hostOf = (url: unknown): string => (typeof url === 'string' && URL.canParse(url) ? new URL(url).hostname : '');

/** A whole number, or a text that says one. */
const wholeOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isInteger(number) ? (number as number) : undefined;
};

const wrong = (field: string, message: string): FormHits => noHit(wrongReply(field, message));

const wrongReply = (field: string, message: string): PreparedReply =>
  preparedJson(400, { errors: { [field]: message } }, ...outcomeHeaders('bad-payload'));

/** Several domains are separated by commas, and each gets the hit. Without any, the page's own. */
const domainsOf = (given: unknown, url: string): string[] => {
  if (typeof given !== 'string') return [hostOf(url)].filter(host => host !== '');
  return given.split(',').flatMap(domain => domain.trim() || []);
};

/** Only where the script says so is the hash a part of the page. */
const pageOf = (body: PlausibleFields, url: string): PlausibleFields => {
  const isHash = [1, '1', true].includes((body.h ?? body.hashMode) as number);
  return {
    u: isHash ? url : url.replace(/#.*/s, ''),
    r: body.r ?? body.referrer,
    w: body.w ?? body.screen_width,
  };
};

const eventOf = (name: string, body: PlausibleFields): PlausibleFields => {
  const p = propertiesOf(body.m ?? body.meta ?? body.p ?? body.props);
  if (name === 'pageview') return { t: 'pageview', p };
  if (name === 'engagement') return { t: 'duration', d: wholeOf(body.e), sc: wholeOf(body.sd) };
  if (name === 'Outbound Link: Click' && typeof p.url === 'string') {
    const { url, ...rest } = p;
    return { t: 'outbound', n: url, p: rest };
  }
  return { t: 'custom', n: name, p, ...revenueOf(body.$ ?? body.revenue) };
};

/** Amounts are major units, as numbers or texts. */
const revenueOf = (given: unknown): PlausibleFields => {
  const revenue = typeof given === 'string' ? parseJson(Buffer.from(given)) : given;
  if (!isRecord(revenue)) return {};
  const { amount, currency } = revenue;
  const major = typeof amount === 'string' && amount.trim() !== '' ? Number(amount) : amount;
  const code = typeof currency === 'string' ? currencyCode(currency) : null;
  if (typeof major !== 'number' || !Number.isFinite(major) || code === null) return {};
  return { t: 'revenue', v: minorUnits(major, code), c: code };
};

/** A map, or the JSON of one. Nested values, and blank keys and values, are dropped. */
const propertiesOf = (given: unknown): PlausibleFields => {
  const map = typeof given === 'string' ? parseJson(Buffer.from(given)) : given;
  if (!isRecord(map)) return {};
  const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';
  const plain = Object.entries(map).filter(
    ([key, value]) => typeof value !== 'object' && !isBlank(key) && !isBlank(value),
  );
  return Object.fromEntries(plain.slice(0, propertiesMax));
};

/** An event that is not recorded is answered as the others, and a header says so. */
const replyTo = (ended: Outcome[]): PreparedReply => {
  const passing = passingReply(ended);
  if (passing !== undefined) return passing;
  if (ended.every(outcome => outcome === 'bad-url')) return wrongReply('url', 'must be an http or https address');
  const told = ended.find(outcome => outcome !== 'recorded') ?? 'recorded';
  const dropped = ended.filter(outcome => outcome !== 'recorded').length;
  return prepared(
    202,
    'text/plain; charset=utf-8',
    'ok',
    ...['x-daybook', outcomes[told].header],
    ...(dropped === 0 ? [] : ['x-plausible-dropped', String(dropped)]),
  );
};
