/** `@umami/api-client`, as it is published, with a login and with a key. */
import * as assert from 'uvu/assert';
import { key } from '../api/fixture.ts';
import { email, type Program, password } from '../compat/fixture.ts';
import type { Client } from './clients.ts';

// biome-ignore lint/suspicious/noExplicitAny: the package is not installed where types are checked
type Umami = any;

const startAt = Date.parse('2026-11-14T00:00:00+01:00');
const endAt = Date.parse('2026-11-21T00:00:00+01:00') - 1;

export const umamiApiClient: Client = {
  name: '@umami/api-client',
  packages: { '@umami/api-client': '0.81.0' },
  async run(importPackage, { url, shop }: Program) {
    const { UmamiClient, isUmamiApiError } = (await importPackage('@umami/api-client')) as Umami;
    const baseUrl = `${url}/api`;
    const { token, user } = await new UmamiClient({ baseUrl }).login({ username: email, password });
    assert.is(user.username, 'default');
    for (const umami of [new UmamiClient({ baseUrl, token }), new UmamiClient({ baseUrl, apiKey: key })] as Umami[]) {
      assert.is((await umami.verify()).username, 'default');
      assert.is((await umami.getMe()).user.username, 'default');
      const { data } = await umami.listWebsites();
      assert.equal(
        data.map(({ id }: { id: string }) => id),
        [shop.uuid],
      );
      await ask(umami, data[0].id);
      const failed = await umami
        .getWebsiteStats({ websiteId: shop.uuid, startAt: 2, endAt: 1 })
        .catch((e: unknown) => e);
      assert.ok(isUmamiApiError(failed));
      assert.equal([failed.status, failed.code], [400, 'bad-request']);
    }
    const refused = await new UmamiClient({ baseUrl, token: 'x' }).listWebsites().catch((error: unknown) => error);
    assert.equal([refused.status, refused.code], [401, 'unauthorized']);
  },
};

const ask = async (umami: Umami, websiteId: string): Promise<void> => {
  const week = { websiteId, startAt, endAt };
  assert.is((await umami.getWebsite({ websiteId })).domain, 'shop.example');
  const { comparison, ...stats } = await umami.getWebsiteStats(week);
  assert.equal(stats, { pageviews: 8, visitors: 5, visits: 6, bounces: 4, totaltime: 205 });
  assert.is(comparison.visitors, 1);
  const { pageviews } = await umami.getWebsitePageviews({ ...week, unit: 'day', timezone: 'Europe/Berlin' });
  assert.equal(pageviews[0], { x: '2026-11-18 00:00:00', y: 3 });
  const [first] = await umami.getWebsiteMetrics({ ...week, type: 'path', limit: 1 });
  assert.equal(first, { x: '/', y: 3 });
  assert.is((await umami.getWebsiteActive({ websiteId })).visitors, 1);
  const [expanded] = await umami.getWebsiteExpandedMetrics({ ...week, type: 'path' });
  assert.equal([expanded.name, expanded.visitors], ['/', 3]);
  const events = await umami.getWebsiteEvents({ ...week, pageSize: 5 });
  assert.equal([events.count, events.data.length], [14, 5]);
  const series = await umami.getWebsiteEventSeries({ ...week, unit: 'day', timezone: 'UTC' });
  assert.equal(series[0], { x: 'Purchase', t: '2026-11-18 00:00:00', y: 1 });
  assert.is((await umami.getWebsiteSessions(week)).count, 6);
  assert.is((await umami.getWebsiteSessionStats(week)).visitors.value, 5);
  assert.is((await umami.getWebsiteEventStats(week)).data.events, 6);
  assert.is((await umami.getWebsiteDateRange({ websiteId })).startDate, '2026-11-10T10:00:00.000Z');
};
