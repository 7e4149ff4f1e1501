/**
 * Hits as Matomo's trackers send them: `/matomo.php` with GET or POST, one or several in a request.
 * A site is known by its number, as the alias `matomo:1`.
 */
import {
  type FormHit,
  type FormHits,
  type FormRequest,
  formHitsMax,
  type HitForm,
  noHit,
} from '../../collect/forms.ts';
import { corsHeaders, outcomeHeaders, type PreparedReply, passingReply, preparedJson } from '../../collect/replies.ts';
import { parseJson } from '../../http/body.ts';
import { minorUnits } from '../../model/currency.ts';
import { type Outcome, outcomes } from '../../model/outcomes.ts';
import { isRecord } from '../../model/record.ts';
import type { Site } from '../../model/site.ts';
import { pixelReply, pixelStatus } from '../pixel.ts';

export const matomoForms: readonly HitForm[] = (['GET', 'POST'] as const).flatMap(method =>
  ['/matomo.php', '/piwik.php'].map(path => ({
    method,
    path,
    read: (request: FormRequest) => readRequest(request),
    readOwn: (request: FormRequest, hit: Fields) => readOwn(request, hit),
  })),
);

type Fields = Record<string, unknown>;
type Parameters = Pick<URLSearchParams, 'get' | 'entries'>;

const readRequest = (request: FormRequest): FormHits => {
  const { bytes, search } = request;
  // Which of the two it is, browsers may not say: a beacon has a content type of its own.
  if (bytes[0] === '{'.charCodeAt(0)) return readBulk(request);
  const parameters = new URLSearchParams([...new URLSearchParams(bytes.toString()), ...search]);
  const hit = hitOf(parameters, request);
  const isImage = parameters.get('send_image') !== '0';
  return {
    hits: [hit],
    token: parameters.get('token_auth'),
    reply: ended => passingReply(ended) ?? replyTo(ended[0]!, isImage),
  };
};

const replyTo = (outcome: Outcome, isImage: boolean): PreparedReply => {
  const status = pixelStatus(outcome);
  const headers = outcomeHeaders(outcome);
  if (status !== 202) return pixelReply(status, ...headers);
  return isImage ? pixelReply(200, ...headers) : { status: 204, headers: [...corsHeaders, ...headers], body: '' };
};

const readBulk = (request: FormRequest): FormHits => {
  const body = parseJson(request.bytes);
  const list = isRecord(body) ? body.requests : undefined;
  if (!isRecord(body) || !Array.isArray(list) || list.length > formHitsMax) {
    const message = `requests must be a list of at most ${formHitsMax} requests`;
    return noHit(
      preparedJson(400, { status: 'error', tracked: 0, invalid: 0, message }, ...outcomeHeaders('bad-payload')),
    );
  }
  const hits = list.map(item => {
    const parameters = parametersOf(item);
    return parameters === undefined ? { body: null } : hitOf(parameters, request);
  });
  return {
    hits,
    token: typeof body.token_auth === 'string' ? body.token_auth : request.search.get('token_auth'),
    reply: replyToBulk,
  };
};

/** Of a text or a number. Anything else may not even become a text. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** Our tracker behind Matomo's tag knows neither what a goal is called nor the site's currency. */
const readOwn = ({ find }: FormRequest, hit: Fields): Pick<FormHit, 'order'> => {
  const { u, goal: parameters, p } = hit;
  if (typeof u === 'string') hit.u = withCampaign(u);
  if (!isRecord(parameters)) return {};
  const get: Get = name => textOf(parameters[name]);
  Object.assign(hit, goalOf(get('idgoal') ?? '', get, find(textOf(hit.s) ?? ''), isRecord(p) ? p : {}));
  return orderOf(get);
};

/** The order that a hit is, which a shop may tell of several times. */
const orderOf = (get: Get): Pick<FormHit, 'order'> => {
  const order = get('idgoal') === '0' ? get('ec_id') : undefined;
  return order === undefined ? {} : { order };
};

/** The parameters of one request of a list: a query, or an object. */
const parametersOf = (item: unknown): Parameters | undefined => {
  if (typeof item === 'string') return new URLSearchParams(item.replace(/^[^?]*\?/, ''));
  if (!isRecord(item)) return undefined;
  const plain = Object.entries(item).filter(([, value]) => typeof value === 'string' || typeof value === 'number');
  return new URLSearchParams(plain.map(([name, value]) => [name, String(value)]));
};

const replyToBulk = (ended: Outcome[]): PreparedReply => {
  const passing = passingReply(ended);
  if (passing !== undefined) return passing;
  const invalid = ended.flatMap((outcome, index) => (outcomes[outcome].status === 202 ? [] : [index]));
  const told = ended[invalid[0] ?? 0] ?? 'recorded';
  const counts = { tracked: ended.length - invalid.length, invalid: invalid.length, invalid_indices: invalid };
  return preparedJson(200, { status: 'success', ...counts }, ...outcomeHeaders(told));
};

/** One request's hit. Only one with `rec=1` and a site is one. */
const hitOf = (parameters: Parameters, { find, headers }: FormRequest): FormHit => {
  const get = (name: string): string | undefined => parameters.get(name)?.trim() || undefined;
  const number = get('idsite');
  if (number === undefined || get('rec') !== '1') return { body: null };
  const site = find(`matomo:${number}`) ?? find(number);
  const [w, h] = (get('res') ?? '').split('x').map(Number);
  const page = {
    s: site?.publicKey ?? number,
    // An image in a page without scripts says no more than its site.
    u: withCampaign(get('url') ?? headers.referer ?? ''),
    r: get('urlref'),
    l: get('lang'),
    ...{ w, h },
    i: get('uid') ?? get('cid') ?? get('_id'),
  };
  return {
    body: { ...page, ...eventOf(get, [...parameters.entries()], site) },
    told: { at: timeOf(get('cdt')), address: get('cip'), userAgent: get('ua') },
    ...orderOf(get),
  };
};

type Get = (name: string) => string | undefined;

const eventOf = (get: Get, entries: readonly [string, string][], site: Site | undefined): Fields => {
  const p = propertiesOf(get, entries);
  const custom = (n: string, own: Fields): Fields => ({ t: 'custom', n, p: { ...given(own), ...p } });
  if (get('ping') === '1') return { t: 'duration' };
  const category = get('e_c');
  if (category !== undefined)
    return custom(category, { action: get('e_a'), name: get('e_n'), value: numberOf(get('e_v')) });
  const link = get('link');
  if (link !== undefined) return { t: 'outbound', n: link, p };
  const download = get('download');
  if (download !== undefined) return custom('File Download', { url: download });
  const search = get('search');
  if (search !== undefined)
    return custom('Site search', {
      keyword: search,
      category: get('search_cat'),
      results: numberOf(get('search_count')),
    });
  const goal = get('idgoal');
  if (goal !== undefined) return goalOf(goal, get, site, p);
  const content = get('c_n');
  if (content !== undefined) {
    const name = get('c_i') === undefined ? 'Content impression' : 'Content interaction';
    return custom(name, { name: content, piece: get('c_p'), target: get('c_t'), interaction: get('c_i') });
  }
  // What a plugin sends that only it understands is no page.
  return get('ca') === '1' ? { t: null } : { t: 'pageview', ti: get('action_name'), p };
};

/** Goal 0 is a shop: an order has an id, a cart none yet. Amounts are in the site’s currency. */
const goalOf = (goal: string, get: Get, site: Site | undefined, p: Fields): Fields => {
  const order = get('ec_id');
  const major = numberOf(get('revenue'));
  if (goal === '0' && order === undefined)
    return { t: 'custom', n: 'Cart update', p: { ...given({ value: major }), ...p } };
  const named = goal === '0' ? { n: 'Order', p: { order, ...p } } : { n: `Goal ${goal}`, p };
  if (major === undefined || site === undefined) return { t: 'custom', ...named };
  return { t: 'revenue', ...named, v: minorUnits(major, site.currency), c: site.currency };
};

/** Without what is not told. */
export const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const numberOf = (text: string | undefined): number | undefined => {
  const number = Number(text);
  return text !== undefined && Number.isFinite(number) ? number : undefined;
};

/** Custom dimensions by their number, and custom variables by their name. */
const propertiesOf = (get: Get, entries: readonly [string, string][]): Fields => {
  const dimensions = entries.filter(([name, value]) => /^dimension\d{1,3}$/.test(name) && value !== '');
  const variables = ['_cvar', 'cvar'].flatMap(name => {
    const variables = parseJson(Buffer.from(get(name) ?? ''));
    return isRecord(variables) ? Object.values(variables).filter(isPair) : [];
  });
  return Object.fromEntries([...dimensions, ...variables]);
};

const isPair = (value: unknown): value is [string, string] =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'string' && value[1] !== '';

/** UTC, as `2011-04-05 00:11:42` or in seconds since 1970. What is no time counts as now. */
const timeOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const at = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(`${text.replace(' ', 'T')}Z`);
  return Number.isNaN(at) ? undefined : at;
};

const campaignNames: Record<string, string> = {
  campaign: 'utm_campaign',
  cpn: 'utm_campaign',
  source: 'utm_source',
  medium: 'utm_medium',
  kwd: 'utm_term',
  keyword: 'utm_term',
  content: 'utm_content',
  group: 'utm_group',
  placement: 'utm_placement',
  cid: 'utm_id',
};

const campaignName = new RegExp(`([?&])(?:mtm|pk|piwik|matomo)_(${Object.keys(campaignNames).join('|')})=`, 'g');

/**
 * Matomo's own names of what the address says of the campaign, as `mtm_campaign`, are read as the
 * usual ones. They may stand behind `#`, too.
 */
const withCampaign = (url: string): string =>
  url
    .replace(/#\??(?=(?:mtm|pk|piwik|matomo)_)/, () => (url.includes('?') ? '&' : '?'))
    .replace(campaignName, (_, start, name) => `${start}${campaignNames[name]}=`);
