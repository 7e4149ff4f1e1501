import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { madeOfTexts } from '../../.ci/texts.mjs';
import { en } from '../../src/dashboard/app/texts/en.ts';
import fr from '../../src/dashboard/app/texts/fr.json' with { type: 'json' };
import { textFiles } from '../../src/dashboard/app/texts/made.ts';
import { rich, setTexts, t } from '../../src/dashboard/app/texts/text.ts';
import { errors } from '../../src/http/errors.ts';
import { channelNames } from '../../src/model/channels.ts';
import { type Language, languageNames } from '../../src/model/locale.ts';
import { packageRoot } from '../../src/package-root.ts';

type Text = string | Readonly<Record<string, string>>;
const texts = Object.fromEntries(
  await Promise.all(languageNames.map(async name => [name, await textFiles[name].first()] as const)),
) as Record<Language, Readonly<Record<string, Text>>>;

const formsOf = (text: Text): readonly string[] => (typeof text === 'string' ? [text] : Object.values(text));
/** What a sentence expects to be given: values and elements. */
const expectedBy = (sentence: string): string => [...new Set(sentence.match(/\{\w+\}|<\/?\w+>/g))].sort().join(' ');

test('what is made of the files of texts is made of what they are now', () => {
  for (const [path, content] of Object.entries(madeOfTexts()))
    assert.is(readFileSync(join(packageRoot, path), 'utf8'), content, `Run npm run texts: ${path}`);
});

test('a browser fetches texts, and no code for them', () => {
  const assets = join(packageRoot, 'dist', 'assets');
  const { texts } = JSON.parse(readFileSync(join(assets, 'shell.json'), 'utf8')) as { texts: Record<Language, string> };
  for (const file of Object.values(texts)) {
    const code = brotliDecompressSync(readFileSync(join(assets, `${file}.br`))).toString();
    assert.not.match(code, /\bfunction\b|=>|\bimport\s*\{/, file);
  }
});

/** Failures that speak of a request that no page sends, or of a value, whose field says more. */
const silent = new Set([
  'app-bad-value',
  'app-bad-body',
  'app-text-missing',
  'app-list-missing',
  'app-switch-missing',
  'app-bad-host',
  'app-foreign-page',
  'app-method-not-allowed',
  'app-not-json',
]);
/** Those of reports and alerts come from what programs ask, too. */
const isOfPages = /^app-|-report$|-alert$|no-channel|mail/;
/** Fields that a form marks as wrong. */
const fields =
  'domain timezone currency aliases excludedIps excludedPaths senderHits senderBurst name email password newPassword conditions filters question value search segment expires recipients blocks target secret number';

test('each language has each text', () => {
  // In English a failure speaks for itself.
  const codes = Object.keys(errors).filter(code => isOfPages.test(code) && !silent.has(code));
  const failures = [...codes, ...fields.split(' ')].map(name => `failure.${name}`);
  for (const language of languageNames) {
    const wanted = [...Object.keys(en), ...(language === 'en' ? [] : failures)];
    const missing = wanted.filter(key => !(key in texts[language]));
    assert.equal(missing, [], `${language}.json misses texts`);
    assert.equal(
      Object.keys(texts[language]).filter(key => !wanted.includes(key)),
      [],
      `${language}.json has others`,
    );
  }
});

test('each text expects the same values in all languages', () => {
  for (const language of languageNames) {
    for (const [key, text] of Object.entries(texts[language])) {
      // `one day` need not say the number.
      if (key.startsWith('failure.')) continue;
      const wanted = new Set(formsOf(en[key as keyof typeof en]).map(expectedBy));
      for (const form of formsOf(text)) {
        assert.ok(wanted.has(expectedBy(form)), `${language} ${key}: ${form}`);
      }
    }
  }
});

test('each text with a number has all forms that its language needs', () => {
  for (const language of languageNames) {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    for (const [key, text] of Object.entries(texts[language])) {
      assert.is(typeof text, typeof (en[key as keyof typeof en] ?? ''), key);
      if (typeof text !== 'string') assert.equal(Object.keys(text).sort(), forms, `${language} ${key}`);
    }
  }
});

test('texts are written as their language wants it', () => {
  const wrong: Readonly<Record<string, RegExp>> = {
    // Straight quotes and apostrophes, three points, a hyphen as a dash, two spaces.
    en: /"|'|\.\.\.| - | {2}/,
    de: /"|'|\.\.\.| - | {2}|[“”](?=\w)|\w…/,
    // And no narrow space before or in the signs that want it.
    fr: /"|'|\.\.\.| - | {2}|(?<!\u202f)[;?!»]|(?<!\u00a0):(?=\s|$)|«(?!\u202f)| %/,
  };
  for (const language of languageNames) {
    for (const [key, text] of Object.entries(texts[language])) {
      for (const form of formsOf(text)) {
        assert.not.match(form, (wrong[language] ?? wrong.en)!, `${language} ${key}: ${form}`);
        assert.is(form, form.trim(), key);
      }
    }
  }
});

test('each channel has a text', () => {
  assert.equal(
    channelNames.filter(name => !(`channel.${name}` in en)),
    [],
  );
});

test('a text takes values, elements and the form of its number', () => {
  setTexts('fr', fr);
  assert.is(t('page.overview'), 'Vue d’ensemble');
  assert.is(t('shell.now', { count: 2 }), '2 en ligne');
  setTexts('en', en);
  assert.equal(rich('shell.stale.failing', { strong: inner => [inner], time: '09:21' }), [
    '',
    ['The server can’t answer right now.'],
    ' These numbers are from ',
    '09:21',
    '.',
  ]);
  // @ts-expect-error: the value is missing.
  assert.throws(() => t('shell.now'));
  // @ts-expect-error: there is no such text.
  assert.throws(() => t('shell.nowhere'), /no text shell\.nowhere/);
});

test.run();
