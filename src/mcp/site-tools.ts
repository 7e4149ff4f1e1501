/** The tools about sites themselves: which there are, what can be asked, and how hits come in. */
import { ask } from '../api/ask.ts';
import { shownDefinitions } from '../api/definitions.ts';
import { answerOf, type Endpoint, noTime, type ReadableSite } from '../api/endpoint.ts';
import { events } from '../api/events.ts';
import { shownFunnels } from '../api/funnel.ts';
import { ParameterError } from '../api/request/parameters.ts';
import { count, described, list, nullable, object, oneOf, type Schema, text } from '../api/schema.ts';
import { stats } from '../api/stats.ts';
import { table } from '../api/table.ts';
import { dimensions } from '../model/dimensions.ts';
import { filterOperators } from '../model/filters.ts';
import { propertyKeysMax } from '../model/limits.ts';
import { type Outcome, outcomes } from '../model/outcomes.ts';
import { rangeKeys, ranges } from '../model/ranges.ts';
import type { Site } from '../model/site.ts';
import { tableMetricNames, tableMetrics } from '../model/table-metrics.ts';
import { hourMs, isoTime } from '../model/time.ts';
import { links, siteArgument } from './question-tool.ts';
import { type Assistant, type Tool, textOf } from './tool.ts';

/** So many sites are told with their figures of today: each is a question. */
const askedSitesMax = 20;

const listedSite = object(
  {
    domain: text,
    id: text,
    team: text,
    timezone: text,
    currency: text,
    goals: list(text),
    segments: list(text),
    funnels: list(text),
  },
  { visitorsToday: nullable(count), lastHitAt: nullable(text) },
);

/** The names that filters and funnels may use, as far as the caller sees them. */
const namesOf = (view: ReadableSite) => {
  const named = (kind: 'goal' | 'segment'): string[] =>
    shownDefinitions(kind, view.definitions, view.hidden).map(({ name }) => name);
  const funnels = view.hidden.has('funnels') ? [] : shownFunnels(view).map(({ name }) => name);
  return { goals: named('goal'), segments: named('segment'), funnels };
};

type AskedSite = ReturnType<Assistant['site']>;

/** What an endpoint answers, as the API does. */
const answered = (endpoint: Endpoint, query: string, { view, run }: AskedSite): Promise<object> =>
  ask(endpoint.plan(new URLSearchParams(query), view), run);

/** All time that the caller may read. */
const everOf = ({ now, readableFrom }: ReadableSite) => ({ from: Math.max(readableFrom, 0), to: now + 1, filters: [] });

/** When the first and the last hit came; null where none has. */
const hitTimesOf = async ({ view, run }: AskedSite) => {
  const [first, last] = await run([
    { ...noTime, filters: [], questions: [{ kind: 'firstHit' }] },
    { ...everOf(view), questions: [{ kind: 'lastHit' }] },
  ]);
  const written = ({ at }: { at: number | null }) => (at === null ? null : isoTime(at));
  return { firstHitAt: written(answerOf(first, 'firstHit')), lastHitAt: written(answerOf(last, 'lastHit')) };
};

/** Keys that events carry, the most frequent first. */
const propertyKeysOf = async ({ view, run }: AskedSite): Promise<string[]> => {
  if (view.hidden.has('events') || view.hidden.has('properties')) return [];
  const [found] = await run([{ ...everOf(view), questions: [{ kind: 'propertyKeys', limit: propertyKeysMax }] }]);
  return answerOf(found, 'propertyKeys').rows.map(({ key }) => key);
};

const listed = async (assistant: Assistant, site: Site, isAsked: boolean): Promise<object> => {
  const asked = assistant.site(site.uuid);
  const { uuid: id, domain, timezone, currency } = site;
  const facts = { domain, id, team: assistant.teamOf(site), timezone, currency, ...namesOf(asked.view) };
  if (!isAsked) return facts;
  const [today, { lastHitAt }] = await Promise.all([
    answered(stats, 'range=today&compare=none', asked),
    hitTimesOf(asked),
  ]);
  return { ...facts, visitorsToday: (today as { visitors: number | null }).visitors, lastHitAt };
};

const listSites: Tool = {
  name: 'list_sites',
  title: 'Sites',
  description: `Every site and rollup that can be asked about, with visitors today and the names of goals, segments and funnels. Figures are given of the first ${askedSitesMax}.`,
  takes: object({}),
  gives: object({ sites: list(listedSite), rollups: list(object({ name: text, sites: list(text) })) }),
  async answer(assistant) {
    const rollups = assistant
      .rollups()
      .map(({ rollup, sites }) => ({ name: rollup.domain, sites: sites.map(({ domain }) => domain) }));
    const sites = await Promise.all(assistant.sites().map((site, i) => listed(assistant, site, i < askedSitesMax)));
    return { sites, rollups };
  },
};

const grammar = [
  'A filter is a field, an operator and a value: country=DE, path^=/blog, utmSource!=news.',
  ...filterOperators.filter(({ negated }) => !negated).map(({ symbol, label }) => `${symbol} ${label}`),
  '! before an operator negates it: path!*=draft.',
  'Values of one field are alternatives; different fields must all match.',
  'prop:plan=pro is about a property of events, trait:plan=pro about what pages said of visitors.',
  'visit:event=Signup: all hits of the visits in which the event was sent.',
  'duration>=30 is about the visit, in seconds; scroll>=50 about a page view, in percent.',
  'segment=NAME and goal=NAME: what the site has under that name.',
  'An empty value is no value: utmSource= is no source.',
];

const meanings = (names: readonly string[], meaningOf: (name: string) => string): object =>
  Object.fromEntries(names.map(name => [name, meaningOf(name)]));

const meaningsSchema: Schema = { type: 'object', additionalProperties: text };

const describeSite: Tool = {
  name: 'describe_site',
  title: 'What can be asked of a site',
  description:
    'Dimensions, metrics and ranges with their meanings, the grammar of filters, the first and last hit, the names of goals, segments and funnels, the most frequent events and keys of their properties. Ask it before a question with filters.',
  takes: object({ site: siteArgument }),
  gives: object({
    ...{ domain: text, timezone: text, currency: text, firstDay: text, lastHitAt: nullable(text) },
    ...{ goals: list(text), segments: list(text), funnels: list(text), filters: list(text) },
    ...{ events: list(text), properties: list(text) },
    ...{
      dimensions: meaningsSchema,
      metrics: meaningsSchema,
      ranges: meaningsSchema,
      dashboardUrl: text,
      definitions: text,
    },
  }),
  async answer(assistant, given) {
    const asked = assistant.site(textOf(given, 'site'));
    const { site, hidden } = asked.view;
    const [period, { lastHitAt }, sent, properties] = await Promise.all([
      answered(stats, 'range=all&compare=none', asked),
      hitTimesOf(asked),
      hidden.has('events') ? { data: [] } : answered(events, 'range=all&limit=100', asked),
      propertyKeysOf(asked),
    ]);
    return {
      ...{ domain: site.domain, timezone: site.timezone, currency: site.currency },
      ...{ firstDay: (period as { from: string }).from.slice(0, 10), lastHitAt, ...namesOf(asked.view) },
      events: (sent as { data: { name: string }[] }).data.map(({ name }) => name),
      ...{ properties, filters: grammar },
      dimensions: meanings(Object.keys(dimensions), name => dimensions[name as keyof typeof dimensions].meaning),
      metrics: meanings(tableMetricNames, name => tableMetrics[name as keyof typeof tableMetrics].meaning),
      ranges: meanings(rangeKeys, name => ranges[name as keyof typeof ranges].label),
      ...links(assistant.origin, site, ''),
    };
  },
};

const frameworks = {
  html: 'into the head of every page',
  next: 'as <Script> of next/script in app/layout.tsx, or install @daybook/tracker and call it in a client component',
  nuxt: 'into app.head.script of nuxt.config.ts',
  astro: 'into the head of the layout in src/layouts',
  sveltekit: 'into the head of src/app.html',
  vite: 'into the head of index.html',
  wordpress: 'into the head by a plugin for header code, or wp_head in the theme',
  gtm: 'as a Custom HTML tag with the trigger All Pages, which some visitors block: rather into the page itself',
} as const;
type Framework = keyof typeof frameworks;

const getTag: Tool = {
  name: 'get_tag',
  title: 'The snippet for a site',
  description:
    'The line of HTML that makes a site’s pages send hits, where it goes in a framework, and what a content security policy has to allow.',
  takes: object({ site: siteArgument }, { framework: { ...oneOf(Object.keys(frameworks)), default: 'html' } }),
  gives: object({ tag: text, where: text, contentSecurityPolicy: text, docs: text }),
  answer(assistant, given) {
    const { site } = assistant.site(textOf(given, 'site')).view;
    const framework = given.framework ?? 'html';
    if (typeof framework !== 'string' || !Object.hasOwn(frameworks, framework))
      throw new ParameterError({
        ...{ error: 'unknown framework', parameter: 'framework', value: String(framework) },
        allowed: Object.keys(frameworks),
      });
    const tag = assistant.tagOf(site);
    const { origin } = new URL(/src="([^"]+)"/.exec(tag)![1]!);
    return {
      ...{ tag, where: frameworks[framework as Framework] },
      contentSecurityPolicy: `script-src ${origin}; connect-src ${origin}`,
      docs: `${assistant.origin}/docs/tracker`,
    };
  },
};

const minutesDefault = 60;

/** What the outcomes of some time say of an installation, in one sentence. */
const verdict = (counts: ReadonlyMap<Outcome, number>, lastHitAt: string | null): string => {
  const recorded = counts.get('recorded') ?? 0;
  const [refused] = [...counts].filter(([name]) => name !== 'recorded').sort(([, a], [, b]) => b - a);
  if (recorded > 0) return `Hits come in: ${recorded} were recorded.`;
  if (refused !== undefined)
    return `${refused[1]} hits came and none was recorded. Most often: ${refused[0]}, ${outcomes[refused[0]].meaning}`;
  if (lastHitAt !== null) return `No hit came in this time. The last one was at ${lastHitAt}.`;
  return 'No hit has ever come. Put the tag of get_tag on a page, and open that page.';
};

const hostsQuery = 'range=24h&dimension=hostname&metrics=visitors&limit=20';
type Hosts = { data: { name: string; visitors: number | null }[] };

const checkInstallation: Tool = {
  name: 'check_installation',
  title: 'Do hits come in?',
  description:
    'How the hits of the last minutes ended, on which hosts pages were seen in 24 hours, when the first and the last hit came, and one sentence what is wrong.',
  takes: object(
    { site: siteArgument },
    { minutes: { type: 'integer', minimum: 5, maximum: 1440, default: minutesDefault } },
  ),
  gives: object({
    ...{ verdict: text, firstHitAt: nullable(text), lastHitAt: nullable(text), dashboardUrl: text, definitions: text },
    outcomes: list(object({ outcome: text, hits: count })),
    hosts: list(object({ host: text, visitors: nullable(count) })),
  }),
  async answer(assistant, given) {
    const asked = assistant.site(textOf(given, 'site'));
    const { view, run } = asked;
    const minutes = Math.min(1440, Math.max(5, Number(given.minutes ?? minutesDefault) || minutesDefault));
    // Outcomes are counted by hour.
    const from = Math.floor((view.now - minutes * 60_000) / hourMs) * hourMs;
    const bounds = [from, view.now + hourMs];
    const hasOutcomes = !view.hidden.has('outcomes');
    const [{ firstHitAt, lastHitAt }, seen, [ended]] = await Promise.all([
      hitTimesOf(asked),
      answered(table, hostsQuery, asked),
      hasOutcomes ? run([{ ...noTime, filters: [], questions: [{ kind: 'outcomes', bounds }] }]) : [],
    ]);
    const rows = hasOutcomes ? answerOf(ended, 'outcomes').counts : [];
    const counts = new Map<Outcome, number>();
    for (const { outcome, hits } of rows) counts.set(outcome, (counts.get(outcome) ?? 0) + hits);
    return {
      ...{ verdict: verdict(counts, lastHitAt), firstHitAt, lastHitAt },
      hosts: (seen as Hosts).data.map(({ name: host, visitors }) => ({ host, visitors })),
      outcomes: [...counts].map(([outcome, hits]) => ({ outcome, hits })),
      ...links(assistant.origin, view.site, 'health'),
    };
  },
};

const addNoteTool: Tool = {
  name: 'add_note',
  title: 'Note on a day',
  description: 'Writes a note on a day of a site, which charts show. Only where a person asked for it.',
  takes: object({
    site: siteArgument,
    date: described({ ...text, format: 'date' }, 'A local day of the site, such as 2026-11-20'),
    text: described(text, 'What happened'),
  }),
  gives: { type: 'object' },
  ...{ needs: 'notes', writes: true },
  answer(assistant, given) {
    const { site } = assistant.site(textOf(given, 'site')).view;
    return assistant.addNote(site, { date: given.date, text: given.text });
  },
};

const addSiteTool: Tool = {
  name: 'add_site',
  title: 'Add a site',
  description:
    'Adds a site and gives its snippet; the same domain again gives the site that is there. Only where a person asked for it.',
  takes: object(
    { domain: described(text, 'Such as shop.example') },
    {
      timezone: { ...text, default: 'UTC', description: 'IANA name, such as Europe/Berlin' },
      currency: { ...text, default: 'USD', description: 'ISO 4217 code' },
    },
  ),
  gives: object({ domain: text, id: text, tag: text, dashboardUrl: text, definitions: text }),
  ...{ needs: 'sites', writes: true },
  answer(assistant, given) {
    const { timezone = 'UTC', currency = 'USD' } = given;
    const typed = { domain: textOf(given, 'domain'), timezone: String(timezone), currency: String(currency) };
    const site = assistant.addSite(typed);
    const { domain, uuid: id } = site;
    return { domain, id, tag: assistant.tagOf(site), ...links(assistant.origin, site, '') };
  },
};

export const siteTools: readonly Tool[] = [
  listSites,
  describeSite,
  getTag,
  checkInstallation,
  addNoteTool,
  addSiteTool,
];
