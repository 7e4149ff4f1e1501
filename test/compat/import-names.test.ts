/**
 * What products call the browser and system of a user agent, in what they export, and what a live hit with it is stored
 * as: one name, so that past and live are one row.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientReader } from '../../src/collect/user-agent.ts';
import { browserNamed, countryNamed, countryOfName, deviceNamed, systemNamed } from '../../src/compat/import-names.ts';

const onIphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const onWindows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)';
const onAndroid = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)';
const onMac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';

type Names = [browser: string, system: string];

/** By user agent, the names of each product that tells that browser. */
const clients: [userAgent: string, names: Record<string, Names>][] = [
  [
    `${onWindows} Chrome/126.0.0.0 Safari/537.36`,
    {
      umami: ['chrome', 'Windows 10'],
      matomo: ['Chrome', 'Windows'],
      goatcounter: ['Chrome 126', 'Windows 10'],
      ga4: ['Chrome', 'Windows'],
    },
  ],
  [
    `${onMac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15`,
    {
      umami: ['safari', 'Mac OS'],
      matomo: ['Safari', 'Mac'],
      plausible: ['Safari', 'Mac'],
      goatcounter: ['Safari 17.5', 'macOS 10.15'],
      ga4: ['Safari', 'Macintosh'],
      fathom: ['Safari', 'Mac OS X'],
      'simple-analytics': ['Safari', 'macOS'],
    },
  ],
  [
    `${onIphone} Version/17.5 Mobile/15E148 Safari/604.1`,
    {
      umami: ['ios', 'iOS'],
      matomo: ['Mobile Safari', 'iOS'],
      plausible: ['Safari', 'iOS'],
      goatcounter: ['Safari 17.5', 'iOS 17.5'],
      ga4: ['Safari', 'iOS'],
    },
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1 Mobile/15E148 Safari/604.1',
    { umami: ['ios', 'iOS'], matomo: ['Mobile Safari', 'iPadOS'], plausible: ['Safari', 'iPadOS'] },
  ],
  [
    `${onIphone} CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1`,
    { umami: ['crios', 'iOS'], matomo: ['Chrome Mobile iOS', 'iOS'], plausible: ['Chrome', 'iOS'] },
  ],
  [
    `${onIphone} FxiOS/127.0 Mobile/15E148 Safari/605.1.15`,
    { umami: ['fxios', 'iOS'], matomo: ['Firefox Mobile iOS', 'iOS'], plausible: ['Firefox', 'iOS'] },
  ],
  [`${onIphone} Mobile/15E148`, { umami: ['ios-webview', 'iOS'], ga4: ['Safari (in-app)', 'iOS'] }],
  [
    `${onAndroid} Chrome/126.0.0.0 Mobile Safari/537.36`,
    {
      umami: ['chrome', 'Android OS'],
      matomo: ['Chrome Mobile', 'Android'],
      plausible: ['Chrome', 'Android'],
      goatcounter: ['Chrome 126', 'Android 10'],
    },
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.0.0 Mobile Safari/537.36',
    {
      umami: ['chromium-webview', 'Android OS'],
      matomo: ['Chrome Webview', 'Android'],
      ga4: ['Android Webview', 'Android'],
    },
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36',
    {
      umami: ['samsung', 'Android OS'],
      matomo: ['Samsung Browser', 'Android'],
      plausible: ['Samsung Browser', 'Android'],
      ga4: ['Samsung Internet', 'Android'],
    },
  ],
  [
    `${onAndroid} Chrome/126.0.6478.61 Mobile Safari/537.36 OPR/76.2.4027.73374`,
    { umami: ['opera', 'Android OS'], matomo: ['Opera Mobile', 'Android'], plausible: ['Opera', 'Android'] },
  ],
  [
    `${onWindows} Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0`,
    {
      umami: ['edge-chromium', 'Windows 10'],
      matomo: ['Microsoft Edge', 'Windows'],
      plausible: ['Microsoft Edge', 'Windows'],
      ga4: ['Edge', 'Windows'],
    },
  ],
  [
    `${onWindows} Chrome/124.0.0.0 YaBrowser/24.6.0.0 Safari/537.36`,
    {
      umami: ['yandexbrowser', 'Windows 10'],
      matomo: ['Yandex Browser', 'Windows'],
      plausible: ['Yandex Browser', 'Windows'],
      ga4: ['YaBrowser', 'Windows'],
    },
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
    {
      umami: ['ie', 'Windows 10'],
      matomo: ['Internet Explorer', 'Windows'],
      goatcounter: ['Internet Explorer 11', 'Windows 10'],
    },
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
    {
      umami: ['firefox', 'Linux'],
      matomo: ['Firefox', 'GNU/Linux'],
      plausible: ['Firefox', 'GNU/Linux'],
      goatcounter: ['Firefox 127', 'Linux'],
    },
  ],
  [
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
    { matomo: ['Firefox', 'Ubuntu'], plausible: ['Firefox', 'Ubuntu'], goatcounter: ['Firefox 127', 'Linux Ubuntu'] },
  ],
  [
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
    { umami: ['chrome', 'Chrome OS'], matomo: ['Chrome', 'Chrome OS'], goatcounter: ['Chrome 126', 'Chrome OS'] },
  ],
  [
    'Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 950) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/52.0.2743.116 Mobile Safari/537.36 Edge/15.15063',
    { matomo: ['Microsoft Edge', 'Windows Phone'], goatcounter: ['Edge 15', 'Windows Phone 10'] },
  ],
  [
    'Mozilla/5.0 (Mobile; Nokia 8110 4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5',
    { matomo: ['Firefox Mobile', 'KaiOS'], goatcounter: ['Firefox 48', 'KaiOS 2.5'] },
  ],
  [`${onIphone} Mobile/15E148 Instagram 330.0.0.27.88 (iPhone14,5; iOS 17_5)`, { umami: ['instagram', 'iOS'] }],
  [`${onIphone} Mobile/15E148 KAKAOTALK 10.6.5`, { umami: ['kakaotalk', 'iOS'] }],
  [
    `${onIphone} Version/17.5 Mobile/15E148 DuckDuckGo/7 Safari/605.1.15`,
    { matomo: ['DuckDuckGo Privacy Browser', 'iOS'], plausible: ['DuckDuckGo Privacy Browser', 'iOS'] },
  ],
];

for (const [userAgent, names] of clients)
  for (const [product, [browser, system]] of Object.entries(names))
    test(`${product} calls it ${browser} on ${system}`, () => {
      const live = clientReader()(userAgent);
      assert.equal([browserNamed(browser, system), systemNamed(system)], [live.browser, live.os]);
    });

test('countries by their names have the code that is in use', () => {
  const names = ['France', 'United Kingdom', 'UK', 'Russia', 'Serbia', 'Germany', 'Hong Kong', 'Türkiye', 'Turkey'];
  assert.equal(names.map(countryOfName), ['FR', 'GB', 'GB', 'RU', 'RS', 'DE', 'HK', 'TR', 'TR']);
  assert.equal(['Côte d’Ivoire', "Côte d'Ivoire", 'Nowhere', '(not set)'].map(countryOfName), ['CI', 'CI', null, null]);
});

test('what is not known is null, and a device unknown', () => {
  for (const name of ['', ' ', 'Unknown', 'UNK', '(not set)'])
    assert.equal([browserNamed(name), systemNamed(name)], [null, null], name);
  assert.equal(['xx', 'XX', 'ZZ', 'A1', '', 'de'].map(countryNamed), [null, null, null, null, null, 'DE']);
  assert.equal(['Smartphone', 'phablet', 'Feature phone', 'Tablet', 'laptop', 'TV'].map(deviceNamed), [
    ...['mobile', 'mobile', 'mobile', 'tablet', 'desktop', 'unknown'],
  ]);
});

test.run();
