/**
 * Every path, with every parameter of its own table as nobody may send it: each answer is a 400 in JSON that
 * names the parameter. What accepts any text is listed here, so that a new parameter is free on purpose.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type OwnParameters, periodParameters } from '../../src/api/request/parameters.ts';
import type { DescribedRoute } from '../../src/api/route.ts';
import { apiRoutes } from '../../src/api/routes.ts';
import { anyPropertyField, anyTraitField, anyVisitField, isKeyedField } from '../../src/model/filters.ts';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { addShop, type Got, key, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const nonsense = 'nonsense';

/** These take any text: a search, a switch, a number that is clamped, or a name of which there may be nothing. */
const free = {
  '/api/v1/sites/:id/series': ['previous'],
  '/api/v1/sites/:id/breakdown': ['limit'],
  '/api/v1/sites/:id/events': ['series', 'property', 'histogram', 'limit'],
  '/api/ext/sites/:id/table': ['limit'],
  '/api/ext/sites/:id/explain': ['limit'],
  '/api/ext/sites/:id/journey': ['limit'],
  '/api/ext/sites/:id/visits': ['q', 'converted', 'bounced', 'paid', 'returning', 'limit'],
  '/api/ext/sites/:id/visitor': ['visitor'],
  '/api/ext/sites/:id/hits': ['visit'],
  '/api/ext/sites/:id/latest-hits': ['limit'],
  '/api/ext/sites/:id/vitals': ['limit'],
  '/api/ext/sites/:id/crawlers': ['limit'],
  // An `ask` has an answer of its own, which says what is wrong with it.
  '/api/ext/sites/:id/answers': ['ask'],
  '/api/export/:id': ['raw', 'share', 'q', 'converted', 'bounced', 'paid', 'returning'],
} satisfies Record<string, string[]> as Record<string, string[]>;
/** Left out of requests about others, since they take the place of these. */
const inPlaceOf: Record<string, string> = { funnel: 'step' };

const readRoutes = apiRoutes.filter(({ method }) => method === 'GET');
const ownOf = ({ own = {}, fields }: DescribedRoute): OwnParameters =>
  fields === undefined ? own : { ...periodParameters, ...own };

type Pair = readonly [name: string, value: string];

/** What has to be there, or nothing can be asked: of its examples, the first. */
const neededBy = ({ path, own = {} }: DescribedRoute, but: string): Pair[] => {
  const needed = Object.entries(own).filter(
    ([name, { isRequired }]) => isRequired || (/funnel$/.test(path) && name === 'step'),
  );
  return needed
    .filter(([name]) => name !== but && name !== inPlaceOf[but])
    .flatMap(([name, { schema }]) =>
      [(schema.examples as string[][] | undefined)?.[0] ?? 'x'].flat().map(value => [name, value] as const),
    );
};

/** With each mode, where there are several: what one does not know it refuses as unknown. */
const modesOf = ({ own = {} }: DescribedRoute): Pair[][] =>
  own.mode === undefined ? [[]] : (own.mode.schema.enum as string[]).map(mode => [['mode', mode]]);

const team = accounts(api.db).byId(shop.accountId)!.uuid;
const inPath: Record<string, string> = { id: shop.uuid, team, domain: shop.domain, email: 'a@b.example' };
const filled = (path: string): string => path.replace(/:(\w+)/g, (_, name: string) => inPath[name] ?? '1');

const ask = (path: string, pairs: readonly Pair[], method = 'GET'): Promise<Got> =>
  api.get(`${filled(path)}?${new URLSearchParams(pairs.map(pair => [...pair]))}`, { method });

/** Sends some parameters of a name, in each mode, and wants each answer to blame the name. Returns the errors. */
const blamed = async (route: DescribedRoute, name: string, pairs: readonly Pair[]): Promise<Set<string>> => {
  const errors = new Set<string>();
  for (const mode of name === 'mode' ? [[]] : modesOf(route)) {
    const asked = [...mode, ...neededBy(route, name), ...pairs];
    const { status, headers, body } = await ask(route.path, asked);
    const said = `${route.path}?${asked.map(pair => pair.join('=').slice(0, 60)).join('&')}: ${JSON.stringify(body)?.slice(0, 200)}`;
    assert.is(status, 400, said);
    assert.match(headers['content-type']!, /^application\/json/, said);
    assert.equal([typeof body.error, body.parameter], ['string', name.slice(0, 100)], said);
    if (/^unknown (?!parameter)/.test(body.error)) assert.is(body.value, pairs.at(-1)![1].slice(0, 100), said);
    errors.add(body.error);
  }
  errors.delete('unknown parameter');
  return errors;
};

test('a value that cannot be is refused, and what takes any is known', async () => {
  for (const route of readRoutes) {
    const accepting: string[] = [];
    for (const [name, parameter] of Object.entries(ownOf(route))) {
      const pairs: Pair[] = [[name, nonsense]];
      const isFree = free[route.path]?.includes(name) ?? false;
      if (isFree) {
        for (const mode of modesOf(route)) {
          const { status, body } = await ask(route.path, [...mode, ...neededBy(route, name), ...pairs]);
          assert.ok(
            status === 200 || body.error === 'unknown parameter' || body.parameter === 'step',
            `${route.path} ${name}`,
          );
        }
        accepting.push(name);
        continue;
      }
      const errors = await blamed(route, name, pairs);
      assert.ok(errors.size > 0, `${route.path} ${name}`);
      if ('enum' in parameter.schema) assert.equal(errors, new Set([`unknown ${name}`]));
    }
    assert.equal(accepting.sort(), [...(free[route.path] ?? [])].sort(), route.path);
  }
});

test('what has to be there is asked for', async () => {
  const found: string[] = [];
  for (const route of readRoutes) {
    for (const [name, { isRequired }] of Object.entries(route.own ?? {})) {
      if (!isRequired) continue;
      found.push(name);
      assert.equal(await blamed(route, name, []), new Set(['missing parameter']));
      if ('read' in route.own![name]!)
        assert.equal(await blamed(route, name, [[name, '']]), new Set(['missing parameter']));
    }
  }
  assert.equal(found.sort(), ['ask', 'visit', 'visitor']);
  for (const [path, mode] of [
    ['/api/ext/sites/:id/funnel', []],
    ['/api/export/:id', [['mode', 'funnel']]],
  ] as [string, Pair[]][])
    assert.equal((await ask(path, mode)).body, { error: 'missing parameter', parameter: 'step' });
});

test('what takes one value is refused twice, and what takes several has an end', async () => {
  for (const route of readRoutes) {
    for (const [name, parameter] of Object.entries(ownOf(route))) {
      const value = String(
        (parameter.schema.enum as string[] | undefined)?.[0] ?? parameter.schema.default ?? '2026-11-20',
      );
      const many = 'readAll' in parameter ? 21 : 2;
      const example = (parameter.schema.examples as string[][] | undefined)?.[0];
      const pairs = Array.from({ length: many }, (): Pair => [name, [example ?? value].flat()[0]!]);
      const errors = await blamed(route, name, pairs);
      const want = many === 2 ? 'repeated parameter' : name === 'ask' ? 'too many parameters' : 'too many steps';
      assert.equal(errors, new Set([want]), `${route.path} ${name}`);
    }
  }
});

test('what is too long or too much is refused, and what is unknown', async () => {
  const long = 'x'.repeat(2001);
  for (const route of readRoutes) {
    for (const name of Object.keys(ownOf(route)))
      if (name !== 'ask') assert.equal(await blamed(route, name, [[name, long]]), new Set(['value too long']));
    for (const name of [nonsense, 'x'.repeat(200), 'constructor', '__proto__x', 'filters[path]']) {
      if (name.startsWith('_')) continue;
      assert.equal(await blamed(route, name, [[name, '1']]), new Set());
    }
    if (route.fields === undefined) continue;
    const name = route.fields[0] ?? 'range';
    const many = Array.from({ length: 101 }, (): Pair => [name, 'x']);
    const errors = await blamed(route, name, many);
    assert.equal(errors, new Set([route.fields.length > 0 ? 'too many parameters' : 'repeated parameter']));
  }
});

test('a filter that cannot be is refused by the name that it was sent under', async () => {
  for (const route of readRoutes) {
    for (const field of route.fields ?? []) {
      const name = field.replace('<key>', 'plan').replace(anyVisitField, 'visit:path');
      const errors = async (sent: string, value: string) => [...(await blamed(route, sent, [[sent, value]]))];
      assert.equal(await errors(name, 'x'.repeat(2001)), ['value too long']);
      // Any key of a property or trait may end so.
      for (const wrong of isKeyedField(name) ? [] : [`${name}~`, `x${name}`])
        assert.equal(await errors(wrong, 'x'), [], wrong);
      if (['duration', 'scroll'].includes(field)) assert.equal(await errors(`${name}>`, nonsense), ['bad number']);
      // The list of sites is of no site whose names these could be.
      if (['segment', 'goal'].includes(field) && route.path !== '/api/v1/sites')
        assert.equal(await errors(name, nonsense), [`unknown ${field}`]);
      if (field !== anyPropertyField && field !== anyTraitField) continue;
      const prefix = field.replace('<key>', '');
      assert.equal(await errors(prefix, 'x'), []);
      assert.equal(await errors(`${prefix}${'x'.repeat(201)}`, 'x'), ['bad property key']);
      assert.equal(await errors(`${prefix}plan>`, nonsense), ['bad number']);
    }
  }
});

test('a filter within a parameter is refused by the name of that one', async () => {
  const within: [path: string, name: string][] = [
    ['ext/sites/:id/funnel', 'step'],
    ['ext/sites/:id/visits', 'step'],
    ['ext/sites/:id/journey', 'anchor'],
    ['ext/sites/:id/goals', 'conditions'],
  ];
  const wrong: [text: string, error: string, value: string | undefined][] = [
    ['', 'empty condition', undefined],
    ['path=/|', 'empty condition', undefined],
    ['contry=DE', 'unknown filter', 'contry'],
    ['duration%3E=x', 'bad number', 'duration>'],
    [`prop:${'x'.repeat(201)}=x`, 'bad property key', `prop:${'x'.repeat(95)}`],
    [Array(21).fill('path=/').join('|'), 'too many conditions', undefined],
    [Array(51).fill('path=/').join('&'), 'too many conditions', undefined],
    ['goal=nonsense', 'unknown goal', 'nonsense'],
  ];
  for (const [path, parameter] of within) {
    for (const [text, error, value] of wrong) {
      const { status, body } = await ask(`/api/${path}`, [[parameter, text]]);
      // Conditions of goals take no goals.
      const isNoField = parameter === 'conditions' && error === 'unknown goal';
      const { allowed: _, ...said } = body;
      assert.equal(
        [status, said],
        [
          400,
          isNoField
            ? { error: 'unknown filter', parameter, value: 'goal' }
            : { error, parameter, ...(value && { value }) },
        ],
        `${path} ${text}`,
      );
    }
  }
});

test('what is written is refused by its field, and takes no parameters', async () => {
  const routes = apiRoutes.filter(({ method }) => method !== 'GET');
  assert.ok(routes.length > 2);
  for (const { path, method, takes } of routes) {
    const url = `${api.base}${filled(path)}`;
    const send = async (body: unknown, query = '') => {
      const sent = {
        method,
        headers: { authorization: `Bearer ${key}` },
        ...(takes && { body: JSON.stringify(body) }),
      };
      const response = await fetch(url + query, sent);
      assert.match(response.headers.get('content-type')!, /^application\/json/);
      return {
        status: response.status,
        ...((await response.json()) as { error: string; field?: string; parameter?: string }),
      };
    };
    const good: Record<string, unknown> = { date: '2026-11-20', text: 'New prices' };
    const { status, parameter } = await send(good, `?${nonsense}=1`);
    assert.equal([status, parameter], [400, nonsense], path);
    // A file of settings may be YAML, whose faults have tests of their own.
    if (takes === undefined || path === '/api/ext/provision') continue;
    for (const body of ['text', [], 1, null])
      assert.equal(await send(body), { status: 400, error: 'send a JSON object' });
    const fields = Object.keys(takes.properties as object);
    // What others take, their own tests send.
    if (!path.includes('/notes')) continue;
    assert.equal(fields, Object.keys(good));
    for (const field of fields) {
      const values = [undefined, null, 1, [], {}, '', 'x'.repeat(5000)];
      for (const value of values) {
        const { status, error, field: told } = await send({ ...good, [field]: value });
        assert.equal([status, typeof error, told], [400, 'string', field], `${path} ${field} ${JSON.stringify(value)}`);
      }
    }
    assert.is((await send({ ...good, text: 'x'.repeat(70_000) })).status, 413);
  }
});

test.after(() => api.close());
test.run();
