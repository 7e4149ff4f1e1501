import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { currencyCode, currencyDigits, isKnownCurrency, majorUnits, minorRate } from '../../src/model/currency.ts';

const digits: [string, number][] = [
  ['EUR', 2],
  ['USD', 2],
  ['JPY', 0],
  ['KWD', 3],
  ['CLF', 4],
];

test('a currency has the digits that ISO 4217 gives it', () => {
  for (const [code, want] of digits) assert.is(currencyDigits(code), want, code);
});

test('a code is three letters', () => {
  const rows: [string, string | null][] = [
    ['EUR', 'EUR'],
    ['usd', 'USD'],
    ['XYZ', 'XYZ'],
    ['EURO', null],
    ['E1R', null],
    ['', null],
    ['EUR\n', null],
  ];
  for (const [text, want] of rows) assert.is(currencyCode(text), want, JSON.stringify(text));
});

test('a made-up currency is not known', () => {
  for (const [code] of digits) assert.ok(isKnownCurrency(code), code);
  assert.not(isKnownCurrency('QQQ'));
  assert.not(isKnownCurrency('eur'));
});

test('a rate between major units is turned into one between minor units', () => {
  assert.is(minorRate('USD', 'EUR', 0.92), 0.92);
  assert.is(minorRate('JPY', 'EUR', 0.0062), 0.62);
  assert.is(minorRate('EUR', 'JPY', 160), 1.6);
  assert.is(minorRate('KWD', 'USD', 3.25), 0.325);
});

test('minor units are written as major units', () => {
  assert.is(majorUnits(4900, 'EUR'), '49.00');
  assert.is(majorUnits(5, 'EUR'), '0.05');
  assert.is(majorUnits(4900, 'JPY'), '4900');
  assert.is(majorUnits(-1234, 'KWD'), '-1.234');
});

test.run();
