/** `daybook person-data`: every visit of whom it is asked about, and nobody else's. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noon, startCollector } from '../collect/start-collector.ts';
import { temporaryDatabase } from '../helpers.ts';
import { type NaiveHit, type NaiveSite, type NaiveVisit, naiveSelection } from '../naive.ts';
import { days, firstDay, randomFrom, randomSite, storeSite } from '../query/random-site.ts';
import { repeat } from '../repeat.ts';
import { runCommand } from './helpers.ts';

interface Line {
  visitor: string;
  identityMode: 'cookie' | 'hash';
  started: string;
  traits: Record<string, unknown>;
  hits: { at: string; type: string; path?: string; properties?: object }[];
}

const linesOf = async (dataDir: string, domain: string, ...flags: string[]): Promise<Line[]> => {
  const ran = await runCommand(dataDir, ['person-data', domain, ...flags]);
  assert.is(ran.code, 0, ran.stderr);
  return ran.stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));
};

const counts = ({ type }: NaiveHit): boolean => type !== 'identify' && type !== 'duration';
const whoOf = ({ day, visitor, persistent }: NaiveVisit): string => (persistent ? visitor : `${day} ${visitor}`);
const rowsOf = (site: NaiveSite, visit: NaiveVisit): NaiveHit[] => site.filter(hit => hit.visit === visit);
const traitsOf = (site: NaiveSite, visit: NaiveVisit): Record<string, unknown> =>
  Object.assign({}, ...rowsOf(site, visit).map(({ identity }) => JSON.parse(identity?.traits ?? '{}') as object));

/** What is compared of a visit. */
const recount = (site: NaiveSite, isMeant: (visit: NaiveVisit) => boolean): string[] => {
  const visits = [...new Set(site.map(({ visit }) => visit))];
  const who = new Set(visits.filter(isMeant).map(whoOf));
  const theirs = visits.filter(visit => who.has(whoOf(visit)));
  // Nothing is kept of a visit in which only a page was left.
  const told = theirs.filter(visit => rowsOf(site, visit).some(hit => counts(hit) || hit.identity !== null));
  return told
    .map(visit => {
      const hits = rowsOf(site, visit).filter(counts);
      return textOf(
        visit.visitor,
        visit.persistent,
        traitsOf(site, visit),
        hits.map(({ at, type, path }) => ({ at, type, path })),
      );
    })
    .sort();
};

const textOf = (
  visitor: string,
  persistent: boolean,
  traits: Record<string, unknown>,
  hits: { at: number; type: string; path: string | null }[],
): string => JSON.stringify([visitor, persistent, Object.entries(traits).sort(), hits.sort((a, b) => a.at - b.at)]);

const comparable = (lines: readonly Line[]): string[] =>
  lines
    .filter(({ hits, traits }) => hits.length > 0 || Object.keys(traits).length > 0)
    .map(({ visitor, identityMode, traits, hits }) =>
      textOf(
        visitor,
        identityMode === 'cookie',
        traits,
        hits.map(({ at, type, path = null }) => ({ at: Date.parse(at), type, path })),
      ),
    )
    .sort();

for (let seed = 1; seed <= 3 * repeat; seed++) {
  test(`each visit of whom a filter finds in random site ${seed}, sealed and open, is written once`, async () => {
    const random = randomFrom(7000 + seed);
    const { db, dataDir } = temporaryDatabase();
    const site = randomSite(random);
    storeSite(db, site, firstDay + random.below(days + 1), 'UTC', random.pick([1e6, 6]));
    const domain = db.prepare('select domain from site').pluck().get() as string;
    const asked: [filter: string, isMeant: (visit: NaiveVisit) => boolean][] = [
      ['trait:name=Ada', visit => traitsOf(site, visit).name === 'Ada'],
      ['trait:plan>=3', visit => ['3', '1e3', '1e+21'].includes(String(traitsOf(site, visit).plan))],
      ['trait:name=nobody', () => false],
    ];
    const selected = naiveSelection(site, {
      ...{ from: 0, to: Number.MAX_SAFE_INTEGER, questions: [] },
      filters: [{ field: 'event', operator: 'is', negated: false, values: ['Signup'] }],
    });
    const signedUp = new Set(site.filter((_, i) => selected[i] === 1).map(({ visit }) => visit));
    asked.push(['event=Signup', visit => signedUp.has(visit)]);
    for (const [filter, isMeant] of asked) {
      const lines = await linesOf(dataDir, domain, '--where', filter);
      assert.equal(comparable(lines), recount(site, isMeant), filter);
    }
    const [{ visit }] = site as [NaiveHit];
    const lines = await linesOf(dataDir, domain, '--visitor', visit.visitor);
    assert.equal(
      comparable(lines),
      recount(site, one => one.visitor === visit.visitor),
    );
  });
}

test('a line has all that is stored of a visit, also while a server runs', async () => {
  const { post, clock, site, dataDir, close } = await startCollector({ site: { identityMode: 'cookie' } });
  const send = async (hit: object): Promise<void> => {
    clock.now += 1000;
    assert.is(
      (await post({ s: site.publicKey, i: 'a'.repeat(22), u: 'https://site1.example/a?q=1', ...hit })).outcome,
      'recorded',
    );
  };
  await send({ r: 'https://www.google.com/', w: 1400, h: 900, ti: 'A' });
  await send({ t: 'identify', p: { email: 'ann@example.com', seats: 3 } });
  await send({ t: 'revenue', n: 'Buy', v: 4900, c: 'EUR', p: { plan: 'pro', trial: false } });
  const [line, ...others] = await linesOf(dataDir, 'site1.example', '--where', 'trait:email=ann@example.com');
  assert.equal(others, []);
  const { visitor, ...rest } = line as Line & Record<string, unknown>;
  assert.match(visitor, /^[0-9a-f]{16}$/);
  assert.equal(
    [rest.identityMode, rest.firstDay, rest.traits],
    ['cookie', new Date(noon).toISOString().slice(0, 10), { email: 'ann@example.com', seats: 3 }],
  );
  assert.equal([rest.started, rest.referrer, rest.width], [new Date(noon + 1000).toISOString(), 'google.com', 1400]);
  assert.equal(
    rest.hits.map(({ type }) => type),
    ['pageview', 'revenue'],
  );
  assert.equal(rest.hits[1]!.properties, { plan: 'pro', trial: false });
  assert.equal(await linesOf(dataDir, 'site1.example', '--visitor', '0'.repeat(16)), []);
  await close();
});

test('it says what is wrong', async () => {
  const { dataDir, close } = await startCollector();
  const refused = async (...flags: string[]): Promise<string> => {
    const ran = await runCommand(dataDir, ['person-data', 'site1.example', ...flags]);
    assert.is(ran.code, 2);
    return ran.stderr.split('\n')[0]!.replace('daybook: ', '');
  };
  assert.is(await refused(), 'Say who is meant: with --visitor ID, or with --where FILTER.');
  assert.is(await refused('--visitor', 'ab'), '--visitor needs 16 hexadecimal digits.');
  assert.match(await refused('--where', 'trat:email=a'), /There is no filter trat:email/);
  assert.match(await refused('--where', ''), /--where needs a filter/);
  await close();
});

test.run();
