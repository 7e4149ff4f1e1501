import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { berlin, makePublic, startDashboard } from './helpers.ts';

const withSite = async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const { id } = (await browser.post('/app/sites', { domain: 'a.example', ...berlin })).json;
  return { dashboard, browser, id, path: `/app/sites/${id}/definitions` };
};

test('goals and segments are saved, changed, renamed and removed', async () => {
  const { browser, id, path } = await withSite();
  const none = { goals: [], segments: [], funnels: [] };
  assert.equal((await browser.get(path)).json, none);
  const goal = { kind: 'goal', name: ' Signup ', conditions: 'event=Signup|path^=/thanks', value: '4900' };
  const saved = { name: 'Signup', conditions: 'event=Signup|path^=/thanks', value: 4900 };
  assert.equal((await browser.post(path, goal)).json, { ...none, goals: [saved] });
  await browser.post(path, { kind: 'segment', name: 'Germans', filters: 'country=DE&visit:goal=Signup' });
  const changed = await browser.post(path, { ...goal, name: 'Signup', newName: 'Signed up', value: '' });
  assert.equal(changed.json.goals, [{ ...saved, name: 'Signed up', value: null }]);
  assert.is((await browser.get(`/api/v1/sites/${id}/stats?visit:goal=Signed up`)).status, 200);
  const removed = await browser.post(`${path}/remove`, { kind: 'goal', name: 'Signed up' });
  assert.equal(removed.json, { ...none, segments: [{ name: 'Germans', filters: 'country=DE&visit:goal=Signed+up' }] });
});

test('what names a goal or a segment goes on naming it after a rename', async () => {
  const { browser, id, path } = await withSite();
  const goal = { kind: 'goal', name: 'A & B', conditions: 'event=Signup' };
  await browser.post(path, goal);
  await browser.post(path, { kind: 'goal', name: 'Other', conditions: 'event=A+%26+B' });
  await browser.post(path, { kind: 'segment', name: 'Seg', filters: 'goal=A+%26+B&goal!=Other&title=A+%26+B' });
  const steps = ['goal=A+%26+B|path=/x', 'segment=Seg', 'path=/'];
  const question = new URLSearchParams([...steps.map(step => ['step', step]), ['scope', 'visitor']]).toString();
  await browser.post(path, { kind: 'funnel', name: 'Way', question });
  await browser.post(path, { ...goal, newName: 'C=D' });
  await browser.post(path, { kind: 'segment', name: 'Seg', newName: 'Part', filters: 'goal=C%3DD' });
  const { goals, funnels } = (await browser.get(path)).json;
  assert.equal(
    goals.map(({ name, conditions }: { name: string; conditions: string }) => [name, conditions]),
    [
      ['C=D', 'event=Signup'],
      ['Other', 'event=A+%26+B'],
    ],
  );
  const asked = new URLSearchParams(funnels[0].question);
  assert.equal(asked.getAll('step'), ['goal=C%3DD|path=/x', 'segment=Part', 'path=/']);
  const answer = await browser.get(`/api/ext/sites/${id}/funnel?funnel=Way`);
  assert.equal([answer.status, answer.json.scope, answer.json.data.length], [200, 'visitor', 3]);
});

test('what cannot be saved is refused with a sentence and its field', async () => {
  const { browser, path } = await withSite();
  const refused = async (body: object): Promise<unknown[]> => {
    const { status, json } = await browser.post(path, body);
    return [status, json.field, json.error];
  };
  const segment = { kind: 'segment', name: 'a' };
  const rows: [object, unknown[]][] = [
    [{ ...segment, filters: '' }, [400, 'filters', 'A segment needs a filter, such as event=Signup.']],
    [{ ...segment, filters: 'contry=DE' }, [400, 'filters', 'There is no filter contry.']],
    [{ ...segment, filters: 'segment=b' }, [400, 'filters', 'There is no filter segment.']],
    [{ ...segment, filters: 'prop:n>=x' }, [400, 'filters', 'This is no filter: bad number (prop:n>).']],
    [{ ...segment, name: ' ', filters: 'path=/' }, [400, 'name', 'It needs a name.']],
    [{ ...segment, name: 'x'.repeat(101), filters: 'path=/' }, [400, 'name', 'The name has more than 100 characters.']],
    [{ ...segment, filters: `path=/${'x'.repeat(8000)}` }, [400, 'filters', 'A segment has at most 8000 characters.']],
    [{ kind: 'goal', name: 'a', conditions: 'goal=b' }, [400, 'conditions', 'There is no filter goal.']],
    [
      { kind: 'goal', name: 'a', conditions: 'path=/', value: '4.9' },
      [400, 'conditions', 'A value is a whole number of minor units, such as 4900 for 49.00.'],
    ],
    [{ kind: 'aim', name: 'a' }, [400, 'kind', 'A definition is one of goal, segment, funnel.']],
  ];
  for (const [body, want] of rows) assert.equal(await refused(body), want);
  await browser.post(path, { ...segment, filters: 'path=/' });
  await browser.post(path, { ...segment, name: 'b', filters: 'path=/' });
  const taken = await browser.post(path, { ...segment, newName: 'b', filters: 'path=/' });
  assert.equal([taken.status, taken.json.field, taken.json.error], [409, 'name', 'There is a segment b already.']);
  assert.is((await browser.post(`${path}/remove`, { kind: 'goal', name: 'none' })).status, 404);
  assert.is((await browser.post(path, { ...segment, name: 'none', newName: 'c', filters: 'path=/' })).status, 404);
});

test('a public page uses definitions only as far as it shows what they are about', async () => {
  const { browser, id, path } = await withSite();
  await browser.post(path, { kind: 'goal', name: 'Bought', conditions: 'event=Buy', value: '100' });
  await browser.post(path, { kind: 'goal', name: 'Pro', conditions: 'event=Buy|visit:prop:plan=pro' });
  await browser.post(path, { kind: 'segment', name: 'Pros', filters: 'path=/&visit:goal=Pro' });
  const { token, path: link } = await makePublic(browser, id, { parts: ['events'] });
  const asked = (what: string) => browser.get(what, { authorization: `Share ${token}` });
  const names = async () =>
    (await asked(`/api/ext/sites/${id}/goals`)).json.data.map(({ name }: { name: string }) => name);
  assert.equal(await names(), ['Bought']);
  assert.equal((await asked(`/api/ext/sites/${id}/segments`)).json.data, []);
  assert.equal((await asked(`/api/v1/sites/${id}/stats?goal=Bought`)).status, 200);
  for (const filter of ['goal=Pro', 'visit:goal!=Pro', 'segment=Pros', 'visit:prop:plan=pro', 'prop:seats>=3']) {
    const { status, json } = await asked(`/api/v1/sites/${id}/stats?${filter}`);
    assert.equal([status, json.error], [403, 'properties are not public'], filter);
  }
  assert.is((await asked(`/api/ext/sites/${id}/goals?conditions=prop:plan=pro`)).status, 403);
  assert.equal((await asked(`/api/v1/sites/${id}/stats?goal=x`)).json.allowed, ['Bought']);
  await browser.post(link, { parts: ['events', 'properties'] });
  assert.equal(await names(), ['Bought', 'Pro']);
  assert.is((await asked(`/api/v1/sites/${id}/stats?segment=Pros`)).status, 200);
});

test('a public page asks for saved funnels where its owner shows them, and what they tell of', async () => {
  const { browser, id, path } = await withSite();
  await browser.post(path, { kind: 'funnel', name: 'Sale', question: 'step=path%3D/&step=event%3DBuy' });
  await browser.post(path, { kind: 'funnel', name: 'Pro', question: 'step=path%3D/&step=prop:plan%3Dpro' });
  const { token, path: link } = await makePublic(browser, id);
  const asked = (what: string) => browser.get(`/api/ext/sites/${id}/${what}`, { authorization: `Share ${token}` });
  const answers = async () => {
    const [list, ...named] = await Promise.all(['funnels', 'funnel?funnel=Sale', 'funnel?funnel=Pro'].map(asked));
    return [list!.json.data?.map(({ name }: { name: string }) => name), ...named.map(({ json }) => json.error)];
  };
  const refused = 'funnels are not public';
  assert.equal(await answers(), [undefined, refused, refused]);
  assert.is((await asked('funnel?step=path%3D/')).status, 200, 'steps that the asker gives');
  await browser.post(link, { parts: ['events', 'funnels'] });
  assert.equal(await answers(), [['Sale'], undefined, 'unknown funnel']);
  await browser.post(link, { parts: ['events', 'funnels', 'properties'] });
  assert.equal(await answers(), [['Pro', 'Sale'], undefined, undefined]);
});

test.run();
