/** The client in `getsentry/plausible-mcp`, which is on no registry: a checkout of it, with `--plausible-mcp FOLDER`. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as assert from 'uvu/assert';
import { key } from '../api/fixture.ts';
import type { Program } from '../compat/fixture.ts';
import type { Client } from './clients.ts';

// biome-ignore lint/suspicious/noExplicitAny: the source is not there where types are checked
type Plausible = any;

export const plausibleMcp = (folder: string): Client => ({
  name: 'plausible-mcp',
  packages: {},
  async run(_, { url }: Program) {
    const { PlausibleClient } = (await import(pathToFileURL(join(folder, 'src/plausible.ts')).href)) as Plausible;
    const baseUrl = url.replace('127.0.0.1', 'localhost');
    const client = new PlausibleClient({ apiKey: key, baseUrl });
    const query = async (asked: object): Promise<unknown[][]> => {
      const site = { site_id: 'shop.example', date_range: '2026-11-14,2026-11-20' };
      const { results } = await client.query({ ...site, ...asked });
      return results.map((row: { dimensions: unknown[]; metrics: unknown[] }) => [...row.dimensions, ...row.metrics]);
    };
    const metrics = ['visitors', 'pageviews', 'bounce_rate'];
    const [first] = await query({ metrics, dimensions: ['event:page'], filters: [], pagination: { limit: 20 } });
    assert.equal(first, ['/', 3, 3, 33]);
    const days = await query({ metrics: ['visitors'], dimensions: ['time:day'] });
    assert.equal(days, [
      ['2026-11-18', 2],
      ['2026-11-19', 1],
      ['2026-11-20', 3],
    ]);
    const goals = await query({ metrics: ['visitors', 'events', 'conversion_rate'], dimensions: ['event:goal'] });
    assert.equal(goals[0], ['Signup', 2, 2, 40]);
    const perPage = ['event:goal', 'event:page'];
    const [signup] = await query({ metrics: ['visitors', 'events', 'conversion_rate'], dimensions: perPage });
    assert.equal(signup, ['Signup', '/pricing', 2, 2, 40]);
    const filters = [
      ['contains', 'event:page', ['/blog']],
      ['is', 'visit:channel', ['Email']],
    ];
    assert.equal(await query({ metrics: ['visitors'], filters }), [[1]]);
    const failed = await query({ metrics: ['nothing'] }).catch((error: unknown) => error as Plausible);
    assert.is((failed as Plausible).status, 400);
    const stranger = new PlausibleClient({ apiKey: 'x', baseUrl });
    const refused = await stranger
      .query({ site_id: 'shop.example', metrics, date_range: '7d' })
      .catch((error: unknown) => error as Plausible);
    assert.is(refused.status, 401);
  },
});
