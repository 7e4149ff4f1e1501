import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Schema } from '../../src/api/schema.ts';
import { dimensionNames } from '../../src/model/dimensions.ts';
import { newRollup } from '../../src/model/new-site.ts';
import { rangeKeys } from '../../src/model/ranges.ts';
import { tableMetricNames } from '../../src/model/table-metrics.ts';
import { packageRoot } from '../../src/package-root.ts';
import { definitions } from '../../src/store/definitions.ts';
import { notes } from '../../src/store/notes.ts';
import { sites } from '../../src/store/sites.ts';
import { addShop, filled, startApi } from './fixture.ts';
import { departures } from './schema-check.ts';

/** What the operations of src/api/admin/ take. */
const adminBytes = 19_000;
const reportBytes = 8750;

const api = await startApi();
const shop = addShop(api.db);
const { status, headers, body: description } = await api.get('/api/openapi.json', { key: null });

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: Schema;
  description: string;
}
/** What a GET is answered at. */
const readPaths = (): string[] => Object.keys(description.paths).filter(path => 'get' in description.paths[path]);
const operationAt = (path: string) => description.paths[path].get;
const componentOf = (ref: string) => {
  const [kind, name] = ref.split('/').slice(-2) as [string, string];
  return description.components[kind][name];
};
/** As they stand there, or where they refer to. */
const parametersOf = (path: string, method = 'get'): Parameter[] =>
  description.paths[path][method].parameters.map((one: { $ref?: string }) => (one.$ref ? componentOf(one.$ref) : one));
const schemaOf = (path: string, code = 200, type = 'application/json'): Schema => {
  const { responses } = operationAt(path);
  const response = responses[code] ?? responses['4XX'];
  return (response.$ref === undefined ? response : componentOf(response.$ref)).content[type].schema;
};
const departuresOf = (value: unknown, schema: Schema): string[] =>
  departures(value, schema, description.components.schemas);

test('anybody may read the description', () => {
  assert.is(status, 200);
  assert.is(headers['content-type'], 'application/json; charset=utf-8');
  assert.match(description.openapi, /^3\.1\./);
  assert.is(description.info.title, 'Daybook');
});

test('the description has every path, and each parameter once', () => {
  assert.equal(Object.keys(description.paths), [
    '/api/v1/sites',
    '/api/ext/sites/by-domain/{domain}',
    '/api/ext/sites/{id}/goals/{name}',
    '/api/ext/sites/{id}/segments/{name}',
    '/api/ext/sites/{id}/funnels/{name}',
    '/api/ext/teams/{team}',
    '/api/ext/teams/{team}/audit',
    '/api/ext/teams/{team}/members',
    '/api/ext/teams/{team}/members/{email}',
    '/api/ext/teams/{team}/keys',
    '/api/ext/teams/{team}/keys/{key}',
    '/api/v1/sites/{id}/stats',
    '/api/v1/sites/{id}/series',
    '/api/v1/sites/{id}/breakdown',
    '/api/v1/sites/{id}/events',
    '/api/v1/sites/{id}/realtime',
    '/api/ext/sites/{id}/table',
    '/api/ext/sites/{id}/series',
    '/api/ext/sites/{id}/explain',
    '/api/ext/sites/{id}/funnel',
    '/api/ext/sites/{id}/journey',
    '/api/ext/sites/{id}/visits',
    '/api/ext/sites/{id}/visitor',
    '/api/ext/sites/{id}/hits',
    '/api/ext/sites/{id}/latest-hits',
    '/api/ext/sites/{id}/vitals',
    '/api/ext/sites/{id}/crawlers',
    '/api/ext/sites/{id}/outcomes',
    '/api/ext/sites/{id}/suspects',
    '/api/ext/sites/{id}/goals',
    '/api/ext/sites/{id}/segments',
    '/api/ext/sites/{id}/funnels',
    '/api/ext/sites/{id}/notes',
    '/api/ext/sites/{id}/members',
    '/api/ext/sites/{id}/notes/{note}',
    '/api/ext/sites/{id}/reports',
    '/api/ext/sites/{id}/reports/{report}',
    '/api/ext/sites/{id}/reports/{report}/preview',
    '/api/ext/sites/{id}/alerts',
    '/api/ext/sites/{id}/alerts/try',
    '/api/ext/sites/{id}/alerts/{alert}',
    '/api/ext/sites/{id}/alerts/{alert}/mute',
    '/api/ext/channels',
    '/api/ext/channels/{channel}/test',
    '/api/ext/channels/{channel}/secret',
    '/api/ext/channels/{channel}',
    '/api/ext/provision',
    '/api/ext/rollups',
    '/api/ext/sites/{id}/answers',
    '/api/export/{id}',
    '/api/openapi.json',
  ]);
  for (const path of readPaths()) {
    const parameters = parametersOf(path);
    const names = parameters.map(parameter => parameter.name);
    assert.is(new Set(names).size, names.length, path);
    for (const { description: text, schema } of parameters) assert.ok(text && schema, path);
  }
});

test('each operation has the parameters that its path names', () => {
  for (const [path, methods] of Object.entries(description.paths as Record<string, object>))
    for (const method of Object.keys(methods)) {
      const inPath = parametersOf(path, method).filter(({ in: place }) => place === 'path');
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      assert.equal(inPath.map(({ name }) => name).sort(), named.sort(), `${method} ${path}`);
    }
});

test('what can be written is described with its body', () => {
  const { post } = description.paths['/api/ext/sites/{id}/notes'];
  const { schema } = post.requestBody.content['application/json'];
  assert.equal(Object.keys(componentOf(schema.$ref).properties), ['date', 'text']);
  assert.equal(Object.keys(description.paths['/api/ext/sites/{id}/notes/{note}']), ['post', 'delete']);
});

const parameterOf = (path: string, name: string): Parameter =>
  parametersOf(path).find(parameter => parameter.name === name)!;

test('parameters list the values of the model', () => {
  const breakdown = '/api/v1/sites/{id}/breakdown';
  assert.equal(description.components.schemas.DimensionName.enum, dimensionNames);
  assert.equal(parameterOf(breakdown, 'range').schema.enum, rangeKeys);
  const names = parametersOf(breakdown).map(({ name }) => name);
  for (const name of [...dimensionNames, 'segment', 'goal', 'filter']) assert.ok(names.includes(name), name);
  assert.equal(
    parametersOf('/api/ext/sites/{id}/crawlers').map(({ name }) => name),
    ['id', 'by', 'limit', 'range', 'from', 'to', 'filter', 'name', 'path', 'status'],
  );
});

test('a library finds no fault with the description', async () => {
  const { valid, errors } = await new Validator().validate(description);
  assert.ok(valid, JSON.stringify(errors));
  const { valid: isValid } = await new Validator().validate({ ...description, paths: { '/x': { get: { tags: 1 } } } });
  assert.not(isValid);
});

test('operations have names of their own and a group, and the description half of its bytes', () => {
  const operations = Object.values(description.paths).flatMap(path => Object.values(path as object));
  const ids = operations.map(({ operationId }) => operationId);
  assert.is(new Set(ids).size, ids.length);
  for (const { operationId, tags } of operations) assert.match(`${operationId} ${tags}`, /^[a-z][A-Za-z]+ [a-z]+$/);
  // What it took when each shape stood wherever it was used, and `by` of /funnel, which came later.
  // Sixteen operations that change things came with their bodies and answers, and eleven on alerts
  // and channels.
  // Operations of reports are five, with 20 fields that nothing else has.
  // The one of a whole file has a body and a diff.
  const bytes = (202_565 + 573) / 2 + adminBytes + 10_900 + reportBytes + 1500;
  assert.ok(Buffer.byteLength(JSON.stringify(description)) < bytes);
});

test('what is referred to is there', () => {
  for (const [, ref] of JSON.stringify(description).matchAll(/"\$ref":"([^"]+)"/g)) assert.ok(componentOf(ref!), ref);
});

test('a filter is the same as a text of `filter` and as a parameter of its own', async () => {
  const rows: [typed: string[], plain: string][] = [
    [['path^=/blog'], 'path^=/blog'],
    [['country=DE', 'country=FR', 'path!=/'], 'country=DE&country=FR&path!=/'],
    [['duration>30'], 'duration%3E30'],
    [['prop:seats>=3'], 'prop:seats%3E=3'],
    [['prop:"seats"=3'], 'prop:seats=3'],
    [['visit:event=Signup'], 'visit:event=Signup'],
    [['title=Blog, "news"'], `title=${encodeURIComponent('Blog, "news"')}`],
    [['utmSource='], 'utmSource='],
  ];
  const at = (query: string) => api.get(`/api/v1/sites/${shop.uuid}/stats?range=all&${query}`);
  const whole = (await at('')).text;
  for (const [typed, plain] of rows) {
    const got = await at(String(new URLSearchParams(typed.map(text => ['filter', text]))));
    const wanted = await at(plain);
    assert.is(got.status, 200, got.text);
    assert.is(got.text, wanted.text);
    assert.is.not(got.text, whole, plain);
  }
  const both = await at('filter=country%3DDE&country=FR');
  assert.is(both.text, (await at('country=DE&country=FR')).text);
});

test('a text of `filter` that is none says what is', async () => {
  const { status, body } = await api.get(`/api/v1/sites/${shop.uuid}/stats?filter=contry%3DDE`);
  assert.is(status, 400);
  assert.equal([body.error, body.parameter, body.value], ['unknown filter', 'filter', 'contry']);
  assert.ok(body.allowed.includes('country'));
  const crawls = await api.get(`/api/ext/sites/${shop.uuid}/crawlers?filter=country%3DDE`);
  assert.equal(crawls.body.allowed, ['name', 'path', 'status']);
  assert.is((await api.get(`/api/ext/sites/${shop.uuid}/segments?filter=x`)).status, 400);
});

/** A name that the site has is tried elsewhere. */
const isDefined = (name: string): boolean => name === 'segment' || name === 'goal';

test('examples are what the API answers', async () => {
  const file = join(packageRoot, 'src/api/examples.json');
  const text = readFileSync(file, 'utf8');
  const shown: Record<string, Record<string, unknown>> = JSON.parse(text);
  for (const path of readPaths()) {
    const { operationId } = operationAt(path);
    for (const question of Object.keys(shown[operationId] ?? {}))
      shown[operationId]![question] = (await api.get(`${filled(path, shop)}?${question}`)).body;
  }
  const answered = `${JSON.stringify(shown, null, 2)}\n`;
  if (process.env.UPDATE === undefined) assert.fixture(text, answered);
  else writeFileSync(file, answered);
});

/** Every parameter that is described is accepted, with a value that its schema allows. */
test('the API takes every parameter it describes', async () => {
  definitions(api.db).set(shop.id, 'funnel', '1', { question: 'step=path%3D/' }, 1);
  for (const path of readPaths()) {
    const parameters = parametersOf(path);
    const examplesOf = ({ schema }: Parameter): string[][] => {
      if (schema.examples !== undefined) return (schema.examples as (string | string[])[]).map(one => [one].flat());
      const preset = schema.default === undefined ? '1' : String(schema.default);
      const values = schema.format === 'date' ? ['2026-11-20'] : ((schema.enum as string[]) ?? [preset]);
      return values.map(value => [value]);
    };
    for (const parameter of parameters) {
      const { name, in: place } = parameter;
      if (place !== 'query' || name === 'cursor' || isDefined(name)) continue;
      for (const values of examplesOf(parameter)) {
        const query = new URLSearchParams(values.map(value => [name, value]));
        for (const other of parameters)
          if (other.required && other.in === 'query' && other.name !== name)
            query.set(other.name, examplesOf(other)[0]![0]!);
        if (path.endsWith('/funnel') && name !== 'funnel' && name !== 'step') query.set('step', 'path=/');
        if (path.includes('export')) {
          if (/^(sort|dir|q|converted|bounced|paid|returning)$/.test(name)) query.set('mode', 'sessions');
          if (/^(step|scope|funnel)$/.test(name)) query.set('mode', 'funnel');
          if (query.get('mode') === 'funnel' && !query.has('step')) query.set('step', 'path=/');
        }
        if (path.includes('export') && ['dimension', 'metrics', 'conversionGoal'].includes(name))
          query.set('mode', 'table');
        const got = await api.get(`${filled(path, shop)}?${query}`);
        assert.is(got.status, 200, `${path}?${query}`);
      }
    }
  }
});

test('answers match their description', async () => {
  const visits = (await api.get(`/api/ext/sites/${shop.uuid}/visits?range=all`)).body.data;
  const queries: Record<string, string[]> = {
    '/api/v1/sites': [''],
    '/api/ext/sites/by-domain/{domain}': [''],
    '/api/ext/teams/{team}/audit': ['', 'before=1&action=site-added'],
    '/api/ext/teams/{team}/members': [''],
    '/api/ext/teams/{team}/keys': [''],
    '/api/v1/sites/{id}/stats': ['range=7d', 'range=all', 'range=today&country=XX', 'from=2030-01-01'],
    '/api/v1/sites/{id}/series': ['range=7d', 'range=7d&previous=1', 'range=all&previous=1', 'from=2030-01-01'],
    '/api/v1/sites/{id}/breakdown': [...dimensionNames, 'prop:plan'].map(name => `range=all&dimension=${name}`),
    '/api/v1/sites/{id}/events': [
      'range=7d',
      'range=all',
      'range=7d&event=Signup&series=1',
      'range=all&event=Nothing&series=1',
      'range=7d&event=Signup',
      'range=7d&event=Signup&property=plan',
      'range=7d&event=Signup&property=seats&histogram=1',
      'range=7d&event=Nothing&property=seats&histogram=1',
    ],
    '/api/v1/sites/{id}/realtime': ['', 'country=XX'],
    '/api/ext/sites/{id}/table': [
      'range=all',
      'range=7d&limit=2&compare=previous',
      `range=all&metrics=${tableMetricNames}&sort=secondsOnPage`,
      'country=XX',
    ],
    '/api/ext/sites/{id}/series': [
      'range=7d',
      `range=7d&interval=week&compare=year&metrics=${tableMetricNames}`,
      'range=all&compare=previous',
    ],
    '/api/ext/sites/{id}/explain': [
      'range=7d',
      'range=all',
      'range=7d&metric=revenue&compare=2026-11-01_2026-11-17',
      'from=2030-01-01',
    ],
    '/api/ext/sites/{id}/funnel': ['range=7d&step=path=/&step=event=Signup', 'range=today&step=path=/x&scope=visitor'],
    '/api/ext/sites/{id}/journey': [
      'range=7d',
      'range=7d&via=path=/&show=all',
      'range=7d&direction=before&anchor=event=x',
    ],
    '/api/ext/sites/{id}/visits': ['range=all', 'range=all&limit=2', 'country=XX'],
    '/api/ext/sites/{id}/visitor': ['visitor=0000000000000001', 'visitor=0000000000000009', 'visitor=x'],
    '/api/ext/sites/{id}/hits': [...visits.map(({ id }: { id: string }) => `visit=${id}`), 'visit=x'],
    '/api/ext/sites/{id}/latest-hits': ['', 'country=XX', 'limit=1'],
    '/api/ext/sites/{id}/vitals': ['range=today', 'range=today&by=device', 'range=yesterday'],
    '/api/ext/sites/{id}/crawlers': ['range=today', 'range=today&by=status', 'range=yesterday'],
    '/api/ext/sites/{id}/outcomes': ['range=7d', 'range=today', 'from=2030-01-01'],
    '/api/ext/sites/{id}/suspects': ['range=7d', 'range=today&country=DE', 'from=2030-01-01'],
    '/api/ext/sites/{id}/goals': ['range=7d', 'range=7d&conditions=event=Purchase', 'country=XX'],
    '/api/ext/sites/{id}/segments': [''],
    '/api/ext/sites/{id}/funnels': [''],
    '/api/ext/sites/{id}/notes': ['range=7d', 'from=2030-01-01'],
    '/api/ext/sites/{id}/members': ['range=7d', 'range=7d&compare=previous', 'range=all&compare=previous'],
    '/api/ext/sites/{id}/reports': [''],
    '/api/ext/sites/{id}/alerts': [''],
    '/api/ext/channels': [''],
    '/api/ext/rollups': [''],
  };
  sites(api.db).add(newRollup({ accountId: shop.accountId, domain: 'All' }, [shop], 1, randomBytes));
  notes(api.db).add(shop.id, 'person', '2026-11-20', 'New prices', 1);
  const json = readPaths().filter(path => !/answers|export|openapi/.test(path));
  assert.equal(Object.keys(queries), json);
  for (const [path, list] of Object.entries(queries)) {
    for (const query of list) {
      const { status: code, body } = await api.get(`${filled(path, shop)}?${query}`);
      assert.is(code, 200);
      assert.equal(departuresOf(body, schemaOf(path)), [], `${path}?${query}`);
    }
  }
});

test('lines of several answers match their description', async () => {
  const path = '/api/ext/sites/{id}/answers';
  const { text } = await api.get(`${filled(path, shop)}?ask=stats%3Frange%3D7d&ask=nothing`);
  const lines = text.trim().split('\n');
  assert.is(lines.length, 2);
  for (const line of lines) {
    assert.equal(departuresOf(JSON.parse(line), schemaOf(path, 200, 'application/x-ndjson')), []);
  }
});

test('errors match their description', async () => {
  const path = '/api/v1/sites/{id}/stats';
  const rows: [number, string][] = [
    [400, `/api/v1/sites/${shop.uuid}/stats?contry=DE`],
    [400, `/api/v1/sites/${shop.uuid}/stats?from=x`],
    [404, '/api/v1/sites/nothing/stats'],
  ];
  for (const [code, url] of rows) {
    const got = await api.get(url);
    assert.is(got.status, code, url);
    assert.equal(departuresOf(got.body, schemaOf(path, code)), []);
  }
  const { body } = await api.get(`/api/v1/sites/${shop.uuid}/stats`, { key: null });
  assert.equal(departuresOf(body, schemaOf(path, 401)), []);
});

test('the schema check finds a wrong answer', async () => {
  const { body } = await api.get(`/api/v1/sites/${shop.uuid}/stats?range=7d`);
  const schema = schemaOf('/api/v1/sites/{id}/stats');
  assert.equal(departuresOf({ ...body, visitors: '5' }, schema), ['$.visitors: "5" is no number or null']);
  assert.equal(departuresOf({ ...body, extra: 1 }, schema), ['$: extra is not described']);
  assert.equal(departuresOf({ ...body, from: '2026-11-14' }, schema), ['$.from: 2026-11-14']);
  const { currency: _, ...without } = body;
  assert.equal(departuresOf(without, schema), ['$: currency is missing']);
  assert.throws(() => departures(1, { multipleOf: 2 }), /unknown keyword/);
});

test.after(() => api.close());
test.run();
