import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  formatAny,
  formatBucket,
  formatDays,
  formatDelta,
  formatInstant,
  formatMoney,
  formatNumber,
  formatPercent,
  formatSeconds,
  formatShare,
  formatShort,
  formatTick,
} from '../../../src/dashboard/app/format.ts';
import { localeOf, setLocale } from '../../../src/dashboard/app/locale.ts';
import { loadTexts } from '../../../src/dashboard/app/texts/load-texts.ts';
import { type Language, type LocaleChoice, noLocaleChoice } from '../../../src/model/locale.ts';

/** Spaces that do not break are shown as `_`, narrow ones as `.`; thin ones around dashes are plain. */
const shown = (text: string): string =>
  text.replaceAll('\u00a0', '_').replaceAll('\u202f', '.').replaceAll('\u2009', ' ');

const write = async (language: Language, tags: string[], choice: Partial<LocaleChoice> = {}): Promise<string[]> => {
  await loadTexts(language);
  setLocale(localeOf(language, { ...noLocaleChoice, ...choice }, tags));
  return [
    formatNumber(1234567.891),
    formatShort(12_345),
    formatShort(2_500_000),
    formatPercent(12.34),
    formatDelta(-4),
    formatShare(1, 100_000),
    formatMoney(490_000, 'EUR'),
    formatSeconds(133),
    formatDays('2026-10-01', '2026-10-07'),
    formatInstant('2026-11-20T14:03:00.000Z', 'UTC'),
    formatBucket('2026-11-20T00:00:00', 'hour'),
    formatTick('2026-11-20T14:00:00', 'hour'),
    formatAny(['a', 'b', 'c']),
  ].map(shown);
};

test('numbers, amounts, days and times follow language and browser', async () => {
  assert.equal(await write('en', ['en-GB']), [
    ...['1,234,567.89', '12.3k', '2.5M', '12.3%', '−4.0%', '<0.1%', '€4,900.00', '2m 13s'],
    ...['1 – 7 Oct 2026', '20 Nov, 14:03', 'Fri, 20 Nov 2026, 00:00', '14:00', 'a, b or c'],
  ]);
  assert.equal(await write('en', ['en-US', 'en']), [
    ...['1,234,567.89', '12.3k', '2.5M', '12.3%', '−4.0%', '<0.1%', '€4,900.00', '2m 13s'],
    ...['Oct 1 – 7, 2026', 'Nov 20, 2:03 PM', 'Fri, Nov 20, 2026, 12:00 AM', '2 PM', 'a, b, or c'],
  ]);
  assert.equal(await write('de', ['de-DE', 'en-US']), [
    ...['1.234.567,89', '12.345', '2,5_Mio.', '12,3_%', '−4,0_%', '<0,1_%', '4.900,00_€', '2_min 13_s'],
    ...['1.–7. Okt. 2026', '20. Nov., 14:03', 'Fr., 20. Nov. 2026, 00:00', '14:00', 'a, b oder c'],
  ]);
  assert.equal(await write('fr', ['fr-FR']), [
    ...['1.234.567,89', '12,3_k', '2,5_M', '12,3_%', '−4,0_%', '<0,1_%', '4.900,00_€', '2_min 13_s'],
    ...['1–7 oct. 2026', '20 nov., 14:03', 'ven. 20 nov. 2026, 00:00', '14:00', 'a, b ou c'],
  ]);
});

test('texts and formats can differ', async () => {
  const [number, , millions, , , , money, , days, instant] = await write('en', ['en-US'], { region: 'DE', clock: 12 });
  assert.equal([number, millions, money, days], ['1.234.567,89', '2,5M', '4.900,00_€', '1–7 Oct 2026']);
  assert.is(instant, '20 Nov, 2:03 pm');
  // Nobody speaks German there: numbers are as in Brazil, words are German.
  const brazil = await write('de', ['pt-BR'], { language: 'de', region: 'BR' });
  assert.equal([brazil[0], brazil[9]], ['1.234.567,89', '20. Nov., 14:03']);
  // Digits stay Latin, whatever the region’s are.
  assert.is((await write('en', ['ar-EG']))[0]!.replace(/[^\d]/g, ''), '123456789');
});

test('the week begins, and the clock goes, as in the region, unless chosen otherwise', () => {
  const of = (language: Language, tags: string[], choice: Partial<LocaleChoice> = {}) => {
    const { firstDay, clock, dates } = localeOf(language, { ...noLocaleChoice, ...choice }, tags);
    return [dates, firstDay, clock];
  };
  assert.equal(of('en', ['en-US']), ['en-US', 7, 12]);
  assert.equal(of('en', ['en-GB']), ['en-GB', 1, 24]);
  assert.equal(of('fr', ['fr-CA']), ['fr-CA', 7, 24]);
  assert.equal(of('en', ['ar-EG']), ['en-EG', 6, 12]);
  assert.equal(of('de', ['de']), ['de-DE', 1, 24]);
  assert.equal(of('en', ['it-IT']), ['en-IT', 1, 24]);
  assert.equal(of('de', ['en-US'], { language: 'de' }), ['de-DE', 1, 24]);
  assert.equal(of('en', ['de-DE', 'en-US'], { region: 'CH' }), ['en-CH', 1, 24]);
  assert.equal(of('en', ['en-GB'], { firstDay: 7, clock: 12 }), ['en-GB', 7, 12]);
  assert.equal(of('en', ['not a tag', '']), ['en-US', 7, 12]);
  assert.equal(of('en', []), ['en-US', 7, 12]);
});

test('browsers that do not know weeks get the same first days', () => {
  const proto = Intl.Locale.prototype as { getWeekInfo?: () => unknown; weekInfo?: unknown };
  const { getWeekInfo } = proto;
  const regions = ['US', 'GB', 'DE', 'FR', 'CA', 'BR', 'IN', 'JP', 'EG', 'IL', 'PT', 'AU', 'ZA', 'MX', 'IR', 'CN'];
  const first = () => regions.map(region => localeOf('en', { ...noLocaleChoice, region }, ['en']).firstDay);
  const known = first();
  try {
    Object.defineProperty(proto, 'getWeekInfo', { value: undefined, configurable: true, writable: true });
    Object.defineProperty(proto, 'weekInfo', { value: undefined, configurable: true, writable: true });
    assert.equal(first(), [7, 1, 1, 1, 7, 7, 7, 7, 6, 7, 7, 1, 7, 7, 6, 1]);
  } finally {
    Object.defineProperty(proto, 'getWeekInfo', { value: getWeekInfo, configurable: true, writable: true });
  }
  if (getWeekInfo !== undefined) assert.equal(known, [7, 1, 1, 1, 7, 7, 7, 7, 6, 7, 7, 1, 7, 7, 6, 1]);
});

test.run();
