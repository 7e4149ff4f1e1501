/** Languages and formats: as the browser asks for them, and as an account chooses. */
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { domain, openStage, settled } from './dashboard.ts';

const stage = await openStage();

if (stage !== null) {
  const { open, post } = stage;
  const home = `/sites/${domain}`;
  const lang = (page: Page): Promise<string> => page.evaluate(() => document.documentElement.lang);
  const weekdays = async (page: Page): Promise<string[]> => {
    await page.locator('.calendar th').first().waitFor();
    return page.locator('.calendar th').allTextContents();
  };

  stage.test('pages are in the language of the browser, also before signing in', async () => {
    for (const [locale, title] of [
      ['de-AT', 'Anmelden · Daybook'],
      ['fr-CA', 'Connexion · Daybook'],
      ['it', 'Sign in · Daybook'],
    ] as const) {
      const page = await open('/sign-in', { locale, isStranger: true });
      assert.is(await page.title(), title);
      assert.is(await lang(page), locale === 'it' ? 'en' : locale.slice(0, 2));
    }
  });

  stage.test('the account’s choice holds for every browser, and takes effect at once', async () => {
    await post('/app/account/locale', {});
    const page = await open('/settings', { locale: 'en-US' });
    assert.match((await page.getByText('Numbers look like').textContent()) as string, /1,234\.5\b.*AM/);
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch');
    await page.getByRole('combobox', { name: 'Region' }).selectOption('Switzerland');
    await page.getByRole('region', { name: 'Language and formats' }).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Gespeichert.').waitFor();
    assert.match((await page.getByText('Zahlen sehen aus').textContent()) as string, /1[’']234\.5\b.*\d\d:\d\d/);
    assert.is(await lang(page), 'de');

    const other = await open(home, { locale: 'fr-FR' });
    assert.is(await lang(other), 'de');
    assert.is(await other.title(), `${domain} · Übersicht · Daybook`);
    await post('/app/account/locale', {});
    await other.reload();
    await settled(other);
    assert.is(await lang(other), 'fr');
  });

  stage.test('calendars begin with the first day of the week', async () => {
    const page = await open(home);
    await page.keyboard.press('c');
    assert.equal(await weekdays(page), ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su']);
    const american = await open(home, { locale: 'en-US' });
    await american.keyboard.press('c');
    assert.equal(await weekdays(american), ['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa']);
    // The first of November 2026 is a Sunday.
    assert.is(await american.locator('.calendar tbody td').first().textContent(), '1');
  });
}

test.run();
