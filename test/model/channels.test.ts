import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { channelNames, channelOf, placeOf, type VisitSource } from '../../src/model/channels.ts';

const rows: [Partial<VisitSource>, string][] = [
  [{}, 'Direct'],
  [{ referrer: 'google.com' }, 'Organic search'],
  [{ referrer: 'google.co.uk' }, 'Organic search'],
  [{ referrer: 'duckduckgo.com' }, 'Organic search'],
  [{ referrer: 'com.google.android.googlequicksearchbox' }, 'Organic search'],
  [{ referrer: 'docs.google.com' }, 'Referral'],
  [{ referrer: 'mail.google.com' }, 'Email'],
  [{ referrer: 'gemini.google.com' }, 'AI assistants'],
  [{ referrer: 'chatgpt.com' }, 'AI assistants'],
  [{ utmSource: 'chatgpt.com' }, 'AI assistants'],
  [{ referrer: 'l.facebook.com' }, 'Organic social'],
  [{ referrer: 't.co' }, 'Organic social'],
  [{ referrer: 'not-facebook.com' }, 'Referral'],
  [{ referrer: 'facebook.com.evil.example' }, 'Referral'],
  [{ referrer: 'm.youtube.com' }, 'Organic video'],
  [{ referrer: 'amazon.de' }, 'Organic shopping'],
  [{ referrer: 'news.example' }, 'Referral'],
  [{ referrer: 'google.com', clickId: 'gclid' }, 'Paid search'],
  [{ clickId: 'msclkid' }, 'Paid search'],
  [{ clickId: 'ttclid' }, 'Paid social'],
  [{ clickId: 'dclid' }, 'Display'],
  [{ referrer: 'facebook.com', clickId: 'fbclid' }, 'Organic social'],
  [{ referrer: 'facebook.com', clickId: 'fbclid', utmMedium: 'paid_social' }, 'Paid social'],
  [{ utmSource: 'Google', utmMedium: 'CPC' }, 'Paid search'],
  [{ utmSource: 'bing', utmMedium: 'ppc' }, 'Paid search'],
  [{ utmSource: 'youtube', utmMedium: 'cpv' }, 'Paid video'],
  [{ utmSource: 'youtube', utmMedium: 'cpc' }, 'Paid video'],
  [{ utmSource: 'ebay', utmMedium: 'cpc' }, 'Paid shopping'],
  [{ utmSource: 'someblog', utmMedium: 'cpm' }, 'Display'],
  [{ utmSource: 'someblog', utmMedium: 'banner' }, 'Display'],
  [{ utmSource: 'someblog', utmMedium: 'cpa' }, 'Paid other'],
  [{ utmSource: 'newsletter' }, 'Email'],
  [{ utmSource: 'november', utmMedium: 'email', referrer: 'google.com' }, 'Email'],
  [{ utmMedium: 'affiliate', utmSource: 'partner' }, 'Affiliates'],
  [{ utmMedium: 'podcast', utmSource: 'show' }, 'Audio'],
  [{ utmSource: 'sms' }, 'SMS'],
  [{ utmMedium: 'web-push', utmSource: 'x-shop' }, 'Push'],
  [{ utmMedium: 'organic', utmSource: 'x-engine' }, 'Organic search'],
  [{ utmMedium: 'social', utmSource: 'forum' }, 'Organic social'],
  [{ utmSource: 'producthunt' }, 'Referral'],
  [{ utmMedium: 'qr' }, 'Referral'],
  [{ utmSource: '(direct)', utmMedium: '(none)' }, 'Direct'],
];

for (const [source, channel] of rows) {
  test(`${JSON.stringify(source)} is ${channel}`, () => {
    assert.is(channelOf({ clickId: null, utmMedium: null, utmSource: null, referrer: null, ...source }), channel);
  });
}

test('every channel has a case here', () => {
  assert.equal([...new Set(rows.map(([, channel]) => channel))].sort(), channelNames.toSorted());
});

test('a host of any length and form is some place', () => {
  for (const text of ['', '.', '...', 'a'.repeat(2000), '.com', 'com', '{}', 'constructor', '__proto__']) {
    assert.is(placeOf(text), 'other', text.slice(0, 20));
  }
});

test.run();
