/**
 * Texts by key, on every page: with each of them in brackets nothing is left outside but data, and
 * in German nothing is too wide for a phone.
 */
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sitePageNames } from '../../src/dashboard/app/routes.ts';
import de from '../../src/dashboard/app/texts/de.json' with { type: 'json' };
import { en } from '../../src/dashboard/app/texts/en.ts';
import fr from '../../src/dashboard/app/texts/fr.json' with { type: 'json' };
import type { Me } from '../../src/dashboard/wire.ts';
import { domain, openStage, settled } from './dashboard.ts';

const stage = await openStage();

if (stage !== null) {
  const { open, api, post, server } = stage;
  const home = `/sites/${domain}`;
  const pages = sitePageNames.map(name => (name === '' ? home : `${home}/${name}`));
  const others = ['/', '/settings', '/settings/add-site'];
  const sections = [
    ...['tracking', 'goals', 'alerts', 'share', 'reports', 'api', 'imports', 'spam', 'delete'].map(
      name => `${home}/settings?_section=${name}&country=DE`,
    ),
    ...['sign-in', 'keys', 'members', 'teams', 'channels', 'audit', 'server', 'plan'].map(
      name => `/settings?_section=${name}`,
    ),
  ];
  const deeper = [
    `${home}?path=/nothing-like-this`,
    `${home}?country=DE&_view=table&_metric=revenue`,
    `${home}?_all=country`,
    `${home}/events?_event=Signup`,
    `${home}/funnels?_step=path%3D%2Fpricing&_step=event%3DSignup`,
    `${home}/visits?_q=nothing-like-this`,
    ...sections,
  ];

  /** All texts of a language in brackets. */
  const bracketed = (): string => {
    const inBrackets = (text: string): string => `⟦${text}⟧`;
    const texts = Object.entries(en).map(([key, text]) => [
      key,
      typeof text === 'string'
        ? inBrackets(text)
        : Object.fromEntries(Object.entries(text).map(([form, one]) => [form, inBrackets(one)])),
    ]);
    return `export const en = ${JSON.stringify(Object.fromEntries(texts))};`;
  };

  /** Data, and names that are the same in each language. */
  const data =
    'script, noscript, code, kbd, textarea, option, .row-link, .row-name, tbody th, .vital-table thead, .event-name > a, .brand, ' +
    '.detail-title, .hit-name, .properties, .traits dd, .traits dt, .facts > a, td, time, .chip-value, .figure-value, ' +
    'svg, .site-name, .trend h2, .vital dt, .funnel-text, [aria-label^="⟦Values"] h2';

  /** What the page says, in texts and in what only screen readers and pointers meet. */
  const saidOn = (page: Page): Promise<string[]> =>
    page.evaluate(
      ([names]) =>
        [...document.body.querySelectorAll('*')].flatMap(element => {
          const said = ['aria-label', 'placeholder', 'data-tip'].flatMap(name =>
            element.closest('td') === null ? (element.getAttribute(name) ?? []) : [],
          );
          const own = [...element.childNodes].map(child => (child.nodeType === 3 ? child.textContent : '')).join('');
          // A text with elements in it has its brackets around them.
          const isInside = element.parentElement!.textContent!.startsWith('⟦') && !own.startsWith('⟦');
          return isInside || element.closest(names!) !== null ? said : [...said, own];
        }),
      [data],
    );

  /** Whether words are left when all brackets are gone. */
  const hasOther = (text: string): boolean => {
    const left = text.replace(/⟦[^⟦⟧]*⟧/g, '');
    return left === text ? /\p{L}{3,}/u.test(text) : hasOther(left);
  };

  stage.test('no text of a page is without a key', async () => {
    const { teams, sites } = await api<Me>('/app/me');
    const names = ['Daybook', ...teams.map(team => team.name), ...sites.map(site => site.domain)];
    const page = await open('/settings');
    const path = await page.locator('link[rel="modulepreload"]').last().getAttribute('href');
    await page.route(`**${path}`, route => route.fulfill({ contentType: 'text/javascript', body: bracketed() }));
    const missing: Record<string, string[]> = {};
    for (const at of [...pages, ...others, ...deeper]) {
      await page.goto(server.url + at);
      await settled(page);
      const said = new Set(await saidOn(page));
      const words = [...said].filter(text => hasOther(text) && !names.some(name => text.includes(name)));
      if (words.length > 0) missing[at] = words;
    }
    assert.equal(missing, {});
  });

  /** What is wider than the window, but for what scrolls within it. */
  const tooWide = (page: Page): Promise<string[]> =>
    page.evaluate(() =>
      document.documentElement.scrollWidth <= innerWidth
        ? []
        : [...document.querySelectorAll('main *, header *, footer *')]
            .filter(element => element.getBoundingClientRect().right > innerWidth + 1)
            .filter(element => element.closest('.site-nav, .table-scroll, .tabs') === null)
            .map(element => `${element.tagName}.${element.className}: ${element.textContent!.slice(0, 40)}`),
    );

  for (const locale of ['en-GB', 'de-DE', 'fr-FR']) {
    stage.test(`no page is too wide for a phone or at twice the size in ${locale}`, async () => {
      const page = await open('/settings', { locale, width: 640, height: 450 });
      const look = async (at: string): Promise<void> => {
        for (const [width, height] of [
          [640, 450],
          [320, 740],
        ] as const) {
          await page.setViewportSize({ width, height });
          await settled(page);
          assert.equal(await tooWide(page), [], `${at} at ${width} px`);
        }
      };
      for (const at of [...pages, ...others, ...sections]) {
        await page.goto(server.url + at);
        await look(at);
      }
      const stranger = await open('/sign-in', { locale, width: 320, height: 740, isStranger: true });
      assert.equal(await tooWide(stranger), []);
    });
  }

  stage.test('overview, settings and sign-in are German and French', async () => {
    for (const [locale, texts] of [
      ['de-DE', de],
      ['fr-FR', fr],
    ] as const) {
      const overview = await open(home, { locale });
      for (const name of ['pages', 'sources', 'places', 'technology', 'events'] as const) {
        await overview.getByRole('region', { name: texts[`panel.${name}`], exact: true }).waitFor();
      }
      assert.is(
        await overview.locator('[data-metric="bounceRate"] .figure-label').textContent(),
        texts['metric.bounceRate'],
      );
      assert.match((await overview.locator('[data-metric="bounceRate"] .figure-value').textContent())!, /^\d+,\d\s%$/);
      const germany = new Intl.DisplayNames(locale, { type: 'region' }).of('DE')!;
      await overview.locator('.row-link', { hasText: germany }).first().waitFor();

      const settings = await open('/settings', { locale });
      await settings.getByRole('region', { name: texts['settings.locale'], exact: true }).waitFor();
      await settings.getByRole('link', { name: texts['settings.keys'] }).click();
      await settings.getByRole('button', { name: texts['settings.keys.new'] }).waitFor();

      const signIn = await open('/sign-in', { locale, isStranger: true });
      assert.is(await signIn.locator('h1').textContent(), texts['entry.signIn']);
      await signIn.getByLabel(texts['form.password']).fill('x');
      await signIn.getByRole('button', { name: texts['entry.signIn.action'] }).waitFor();
    }
    await post('/app/account/locale', {});
  });
}

test.run();
