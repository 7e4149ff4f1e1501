/** Hosts that a site counts, and what it hears of others. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allowedHostMatcher } from '../../src/collect/allowed-hosts.ts';
import { otherHosts } from '../../src/collect/other-hosts.ts';
import { allowedHostsOf, ValueError } from '../../src/model/values.ts';
import { startCollector } from './start-collector.ts';

test('a host counts if it is named, or is below one that is named with a star', () => {
  const label = fc.constantFrom('a', 'b', 'shop', 'www');
  const host = fc.array(label, { minLength: 1, maxLength: 4 }).map(labels => labels.join('.'));
  const pattern = fc.tuple(fc.boolean(), host).map(([isStar, name]) => `${isStar ? '*.' : ''}${name}`);
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 5 }), host, (patterns, name) => {
      const naive = patterns.some(each => (each.startsWith('*.') ? name.endsWith(each.slice(1)) : name === each));
      assert.is(allowedHostMatcher(patterns)(name), naive);
    }),
  );
});

test('hosts are written as hits name them', () => {
  assert.equal(allowedHostsOf([' Shop.Example ', 'https://www.a.example:8080/x', '*.müller.example', '']), [
    'shop.example',
    'www.a.example',
    '*.xn--mller-kva.example',
  ]);
  for (const wrong of ['*', '*.', 'a b', '*.*.example', '[::1]'])
    assert.throws(
      () => allowedHostsOf([wrong]),
      (error: unknown) => error instanceof ValueError,
      wrong,
    );
});

test('of hosts that are not allowed the last twenty are known, with what came of each', () => {
  const hosts = otherHosts();
  for (let i = 0; i < 30; i++) hosts.note(1, `h${i}.example`, i);
  for (const at of [100, 101]) hosts.note(1, 'h20.example', at);
  hosts.note(1, '[::1]', 102);
  const found = hosts.of(1);
  assert.is(found.length, 19, 'what is no domain cannot be allowed');
  assert.equal(found[0], { host: 'h20.example', hits: 3, lastAt: 101 });
  assert.equal(hosts.of(2), []);
  for (let site = 2; site < 1500; site++) hosts.note(site, 'a.example', 0);
  assert.equal(hosts.of(1), [], 'and of a thousand sites');
});

test('a hit of another host is not recorded, and its host is told', async () => {
  const collector = await startCollector({ site: { allowedHosts: ['*.a.example'] } });
  const { post, site } = collector;
  const outcomes = [];
  for (const host of ['www.a.example', 'a.example', 'copy.example'])
    outcomes.push((await post({ s: site.publicKey, u: `https://${host}:8443/` })).outcome);
  assert.equal(outcomes, ['recorded', 'ignored; reason=other-host', 'ignored; reason=other-host']);
  assert.equal(
    collector.collector.otherHosts(site.id).map(({ host, hits }) => [host, hits]),
    [
      ['a.example', 1],
      ['copy.example', 1],
    ],
  );
  await collector.close();
});

test.run();
