import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { utcDayName } from '../../src/model/time.ts';
import { openDatabase } from '../../src/store/database.ts';
import { dayReader } from '../../src/store/day/day-reader.ts';
import { sites } from '../../src/store/sites.ts';
import { runCommand } from '../cli/helpers.ts';
import { temporaryDir } from '../helpers.ts';
import { zipOf } from './zip-file.ts';

/** A site, and a way to import files of some content into it. */
const prepared = async (...flags: string[]) => {
  const dir = temporaryDir();
  await runCommand(dir, ['site', 'add', 'example.com', '--currency', 'EUR', ...flags]);
  let count = 0;
  return {
    dir,
    run(files: Readonly<Record<string, string | Buffer>>, ...more: string[]) {
      const folder = join(dir, `files${count++}`);
      const paths = Object.keys(files).map(name => `${folder}-${name}`);
      for (const [i, content] of Object.values(files).entries()) writeFileSync(paths[i]!, content);
      return runCommand(dir, ['import', ...paths, '--site', 'example.com', '--json', ...more]);
    },
  };
};

/** A line for each hit: `day browser country device source: type path name amount currency key=value`. */
const hitsIn = (dir: string): string[] => {
  const db = openDatabase(dir);
  const reader = dayReader(db, 1e6);
  const siteId = sites(db).list()[0]!.id;
  const lines: string[] = [];
  for (const day of reader.days(siteId, 0, 4e12)) {
    const text = (name: 'browser' | 'country' | 'device' | 'utmSource' | 'path' | 'event', row: number) => {
      const { codes, dictionary } = day.texts(name);
      return reader.texts.text(siteId, dictionary[codes[row]!]!) ?? '-';
    };
    const named = (id: number) => reader.texts.text(siteId, id);
    const amounts = new Map(
      Array.from(day.numbers('revenueHit'), (hit, i) => [hit, ` ${day.numbers('revenueAmount')[i]}`]),
    );
    const properties = Array.from(day.numbers('propertyHit'), (hit, i) => {
      const [keys, values] = [day.texts('propertyKey'), day.texts('propertyText')];
      const value = named(values.dictionary[values.codes[i]!]!) ?? day.numbers('propertyNumber')[i];
      return { hit, text: ` ${named(keys.dictionary[keys.codes[i]!]!)}=${value}` };
    });
    let hit = 0;
    for (let visit = 0; visit < day.visits; visit++)
      for (const end = hit + day.numbers('hits')[visit]!; hit < end; hit++) {
        const who = (['browser', 'country', 'device', 'utmSource'] as const).map(name => text(name, visit)).join(' ');
        const more = properties.flatMap(one => (one.hit === hit ? one.text : [])).join('');
        const what = `${['', 'pageview', 'custom', 'outbound', 'revenue'][day.numbers('type')[hit]!]} ${text('path', hit)}`;
        lines.push(`${utcDayName(day.day)} ${who}: ${what} ${text('event', hit)}${amounts.get(hit) ?? ''}${more}`);
      }
  }
  db.close();
  return lines.sort();
};

const umamiEvents = `website_id,session_id,visit_id,event_id,hostname,browser,os,device,screen,language,country,url_path,url_query,referrer_domain,page_title,event_type,event_name,created_at
w,s1,v1,e1,example.com,chrome,Windows 10,laptop,1920x1080,de,DE,/a,utm_source=mail,google.com,"A ""page"", so",1,,2026-10-01 12:00:00.5+00
w,s1,v1,e2,example.com,chrome,Windows 10,laptop,1920x1080,de,DE,/a,,,A,2,Buy,2026-10-01 12:01:00+00
w,s1,v1,e3,example.com,chrome,Windows 10,laptop,1920x1080,de,DE,/late,,,"two
lines",1,,2026-10-02 00:10:00+02
w,s1,v2,e4,example.com,chrome,Windows 10,laptop,1920x1080,de,DE,/b,,,B,1,,2026-10-02 00:10:00+00
`;

test('Umami: its table of events with properties and revenue, in any order and packing', async () => {
  const data = `website_event_id,data_key,string_value,number_value,date_value,data_type
e2,plan,pro,,,1
e2,seats,3,3,,2
`;
  const revenue = `event_id,event_name,currency,revenue\ne2,Buy,EUR,12.5\n`;
  const files = { 'website_event.csv': umamiEvents, 'event_data.csv': data, 'revenue.csv': revenue };
  const want = [
    '2026-10-01 Chrome DE desktop -: pageview /late -',
    '2026-10-01 Chrome DE desktop mail: pageview /a -',
    '2026-10-01 Chrome DE desktop mail: revenue /a Buy 1250 plan=pro seats=3',
    '2026-10-02 Chrome DE desktop -: pageview /b -',
  ];
  for (const given of [files, { 'all.zip': zipOf({ 'readme.txt': 'Hello', ...files }) }]) {
    const { dir, run } = await prepared();
    const ran = await run(given);
    assert.is(ran.stderr, '');
    const { format, source, counted, outcomes } = ran.json();
    assert.equal(
      { format, source, counted, outcomes },
      {
        format: 'umami',
        source: { visitors: 1, visits: 2, pageviews: 3, events: 1 },
        counted: { visitors: 2, visits: 3, pageviews: 3, events: 1 },
        outcomes: { recorded: 4 },
      },
    );
    assert.equal(hitsIn(dir), want);
    assert.is((await runCommand(dir, ['check'])).code, 0);
  }
  const json = umamiEvents.trim().split(/\n(?=w,)/);
  const tabs = `${[json[0]!, ...json.slice(1)].join('\n').replaceAll('"A ""page"", so"', 'A page').replaceAll('"two\nlines"', 'two\\nlines').replaceAll(',', '\t')}\n`;
  const { dir, run } = await prepared();
  assert.is((await run({ 'website_event.tsv.gz': gzipSync(tabs) })).stderr, '');
  assert.is(hitsIn(dir).length, 4);
});

test('Umami: one website of several, by its id, wherever its rows stand', async () => {
  const { dir, run } = await prepared();
  const [header, ...own] = umamiEvents.split(/\n(?=w,)/) as [string, ...string[]];
  const other = 'x,s9,v9,e9,other.example,chrome,Linux,desktop,1x1,de,DE,/x,,,X,1,,2026-10-02 00:10:00+00';
  const two = [header, other, ...own].join('\n');
  const refused = await run({ 'events.csv': two });
  const want =
    /events\.csv, line 3, column 1 \(website_id\): there are several sites: name the one that is meant with /;
  assert.match(refused.stderr, want);
  assert.equal(hitsIn(dir), []);
  const id = '0a4f2d4e-6a63-4c8a-9a3e-0123456789ab';
  await runCommand(dir, ['site', 'set', 'example.com', '--alias', id]);
  const missing = await run({ 'events.csv': two });
  assert.match(missing.stderr, /events\.csv, column website_id: no row is of example\.com: /);
  const named = await run({ 'events.csv': two.replaceAll(/^w(?=,)/gm, id.toUpperCase()) });
  assert.equal(named.json().outcomes, { recorded: 4, 'unknown-site': 1 });
});

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

test('access logs with the virtual host, and as JSON of Caddy and nginx', async () => {
  const caddy = (ip: string, host: string, uri: string) => ({
    ...{ level: 'info', ts: 1790848800.25, logger: 'http.log.access', msg: 'handled request', status: 200 },
    request: {
      ...{ remote_ip: '10.0.0.1', client_ip: ip, proto: 'HTTP/2.0', method: 'GET', host, uri },
      headers: { 'User-Agent': [firefox], Referer: ['https://news.example/'] },
    },
  });
  const nginx = (remote_addr: string, host: string, request_uri: string) => ({
    ...{ time_iso8601: '2026-10-01T12:00:00+02:00', remote_addr, host, request_method: 'GET', request_uri },
    ...{ status: '200', http_user_agent: firefox, http_referer: '-' },
  });
  const nginxRequest = (remote_addr: string, host: string, target: string) => ({
    ...{ time_local: '01/Oct/2026:12:00:00 +0200', remote_addr, http_host: host, request: `GET ${target} HTTP/1.1` },
    ...{ status: 200, http_user_agent: firefox },
  });
  const vhost = (ip: string, host: string, target: string): string =>
    `${host}:443 ${ip} - - [01/Oct/2026:12:00:00 +0200] "GET ${target} HTTP/1.1" 200 5 "-" "${firefox}"`;
  const lineOf = { caddy, nginx, nginxRequest, vhost };
  for (const [name, one] of Object.entries(lineOf)) {
    const { dir, run } = await prepared();
    const requests = [
      ['203.0.113.7', 'example.com', '/a'],
      ['203.0.113.8', 'WWW.example.com', '/a'],
      ['2001:db8::9', 'example.com', '/b'],
      ['203.0.113.7', 'other.example', '/c'],
    ] as const;
    const lines = requests
      .map(([ip, host, target]) => one(ip, host, target))
      .map(line => (typeof line === 'string' ? line : JSON.stringify(line)));
    const ran = await run({ 'access.log': lines.join('\n') });
    assert.is(ran.stderr, '', name);
    const { outcomes, counted, format } = ran.json();
    assert.equal([outcomes, counted.visitors], [{ recorded: 3, 'unknown-site': 1 }, 3], name);
    assert.is(format, name === 'vhost' ? 'combined' : 'json-log');
    assert.equal(
      hitsIn(dir).map(hit => hit.replace(/ (?:-|[A-Z]{2}) desktop/, ' desktop')),
      [
        '2026-10-01 Firefox desktop -: pageview /a -',
        '2026-10-01 Firefox desktop -: pageview /a -',
        '2026-10-01 Firefox desktop -: pageview /b -',
      ],
    );
    const none = await run({ 'access.log': lines[3]! });
    assert.match(none.stderr, /no row is of example\.com: daybook site set example\.com --alias/, name);
  }
});

test('a log without user agents says what it lacks', async () => {
  const { run } = await prepared();
  const ran = await run({ 'access.log': '203.0.113.9 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 1234\n' });
  assert.match(
    ran.stderr,
    /access\.log, line 1: this log names no user agents, so people and crawlers cannot be told apart/,
  );
});

test('CSV of ClickHouse, whose texts of a fixed length are padded with zero bytes', async () => {
  const { dir, run } = await prepared();
  const rows = [
    ['"pageview"', '"/a"', '"DE"', String.raw`\N`, '"\0\0\0"'],
    ['"Buy"', '"/a"', '"\0\0"', '10.29', '"USD"'],
  ];
  const header =
    'name,site_id,hostname,user_id,session_id,timestamp,pathname,country_code,revenue_source_amount,revenue_source_currency';
  const lines = rows.map(([name, ...rest]) => [name, '1,"example.com",17,5,"2026-10-01 10:00:00"', ...rest].join(','));
  const ran = await run({ 'events_v2.csv': [header, ...lines].join('\n') });
  assert.is(ran.stderr, '');
  assert.equal(hitsIn(dir), [
    '2026-10-01 - DE unknown -: pageview /a -',
    '2026-10-01 - DE unknown -: revenue /a Buy 1029',
  ]);
});

const samples: [name: string, file: string, want: string[], source: object][] = [
  [
    'goatcounter',
    `2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,FirstVisit,Date
/a?utm_source=mail,A,false,,Firefox 128,Linux,ab12,0,news.example/x,h,"1920,0,1",NL,true,2026-10-01T10:00:00Z
signup,,true,,Firefox 128,Linux,ab12,0,,,"1920,0,1",NL,false,2026-10-01T10:01:00Z
/a,A,false,,Firefox 128,Linux,cd34,2,,,"1920,0,1",NL,true,2026-10-01T10:00:00Z
`,
    ['2026-10-01 Firefox NL unknown mail: custom / signup', '2026-10-01 Firefox NL unknown mail: pageview /a -'],
    { visitors: 1, visits: null, pageviews: 1, events: 1 },
  ],
  [
    'plausible-ce',
    `${JSON.stringify({ name: 'pageview', site_id: 1, hostname: 'example.com', pathname: '/a', user_id: '17', session_id: '5', timestamp: '2026-10-01 10:00:00', referrer: 'https://google.com', utm_source: 'x', country_code: 'DE', screen_size: 'Mobile', browser: 'Mobile App', operating_system: 'Android', 'meta.key': ['author'], 'meta.value': ['Ann'] })}
${JSON.stringify({ name: 'engagement', site_id: 1, hostname: 'example.com', pathname: '/a', user_id: '17', session_id: '5', timestamp: '2026-10-01 10:01:00', engagement_time: 4000, scroll_depth: 70 })}
${JSON.stringify({ name: 'Outbound Link: Click', site_id: 1, hostname: 'example.com', pathname: '/a', user_id: '17', session_id: '5', timestamp: '2026-10-01 10:02:00', 'meta.key': ['url'], 'meta.value': ['https://x.example/'] })}
${JSON.stringify({ name: 'Buy', site_id: 1, hostname: 'example.com', pathname: '/a', user_id: '17', session_id: '5', timestamp: '2026-10-01 10:03:00', revenue_source_amount: '10.29', revenue_source_currency: 'USD' })}
`,
    [
      '2026-10-01 Mobile App DE mobile x: outbound /a https://x.example/',
      '2026-10-01 Mobile App DE mobile x: pageview /a - author=Ann',
      '2026-10-01 Mobile App DE mobile x: revenue /a Buy 1029',
    ],
    { visitors: 1, visits: 1, pageviews: 1, events: 2 },
  ],
  [
    'matomo',
    JSON.stringify(
      [
        {
          idVisit: 1,
          visitorId: 'abc',
          browserName: 'Firefox',
          operatingSystemName: 'GNU/Linux',
          deviceType: 'Desktop',
          resolution: '1920x1080',
          countryCode: 'fr',
          campaignName: 'spring',
          campaignSource: 'mail',
          actionDetails: [
            { type: 'action', timestamp: 1790848800, url: 'https://example.com/a, "b"', pageTitle: 'A' },
            {
              type: 'event',
              timestamp: 1790848860,
              url: 'https://example.com/a',
              eventCategory: 'Video',
              eventAction: 'play',
            },
            { type: 'ecommerceOrder', timestamp: 1790848900, revenue: 9.99, orderId: 'o1' },
          ],
        },
        { idVisit: 2, visitorId: 'abc', actionDetails: [] },
      ],
      null,
      2,
    ),
    [
      '2026-10-01 Firefox FR desktop mail: custom /a Video action=play',
      '2026-10-01 Firefox FR desktop mail: pageview /a,%20%22b%22 -',
      '2026-10-01 Firefox FR desktop mail: revenue / Order 999 order=o1',
    ],
    { visitors: 1, visits: 1, pageviews: 1, events: 2 },
  ],
  [
    'simple-analytics',
    `added_iso,datapoint,session_id,hostname,path,query,is_robot,document_referrer,browser_name,os_name,device_type,country_code,lang_language
2026-10-01T10:00:00.000Z,pageview,u1,example.com,/a,,false,https://google.com/,Chrome,macOS,desktop,US,en
2026-10-01T10:01:00.000Z,signup,u1,example.com,/a,,false,,Chrome,macOS,desktop,US,en
2026-10-01T10:01:00.000Z,pageview,u2,example.com,/a,,true,,Chrome,macOS,desktop,US,en
`,
    ['2026-10-01 Chrome US desktop -: custom /a signup', '2026-10-01 Chrome US desktop -: pageview /a -'],
    { visitors: 1, visits: null, pageviews: 1, events: 1 },
  ],
  [
    'fathom',
    `datetime,hostname,pathname,pageviews,referrer_hostname,browser,operating_system,device_type,country_code
2026-10-01 10:00:00,https://example.com,/a,2,https://news.example,Chrome,iOS,Phone,CH
2026-10-01 11:00:00,https://example.com,/b,1,,Chrome,iOS,Phone,CH
`,
    [
      '2026-10-01 Chrome CH mobile -: pageview /a -',
      '2026-10-01 Chrome CH mobile -: pageview /a -',
      '2026-10-01 Chrome CH mobile -: pageview /b -',
    ],
    { visitors: 2, visits: null, pageviews: 3, events: 0 },
  ],
  [
    'ga4-bigquery',
    ['page_view', 'session_start', 'purchase']
      .map((event_name, i) =>
        JSON.stringify({
          event_date: '20261001',
          event_timestamp: `${1790848800000000 + i * 1e6}`,
          event_name,
          user_pseudo_id: '1.2',
          event_params: [
            { key: 'page_location', value: { string_value: 'https://example.com/a?utm_source=ads' } },
            { key: 'ga_session_id', value: { int_value: '17' } },
            ...(event_name === 'purchase'
              ? [
                  { key: 'value', value: { double_value: 5.5 } },
                  { key: 'currency', value: { string_value: 'EUR' } },
                ]
              : []),
          ],
          device: { category: 'mobile', operating_system: 'Android', web_info: { browser: 'Chrome' } },
          geo: { country: 'Germany', region: 'Berlin', city: 'Berlin' },
        }),
      )
      .join('\n'),
    ['2026-10-01 Chrome DE mobile ads: pageview /a -', '2026-10-01 Chrome DE mobile ads: revenue /a purchase 550'],
    { visitors: 1, visits: 1, pageviews: 1, events: 1 },
  ],
];

for (const [name, file, want, source] of samples)
  test(`${name}: found out by itself, with all that comes along`, async () => {
    const { dir, run } = await prepared();
    const ran = await run({ export: file });
    assert.is(ran.stderr, '');
    assert.equal([ran.json().format, ran.json().source], [name, source]);
    assert.ok(ran.json().difference.length > 20);
    assert.equal(hitsIn(dir), want);
    assert.is((await run({ export: file }, '--from', 'ndjson')).code, 1);
  });

/** What may happen to a file, whatever its format: what is replaced by what, and what is said of it. */
const damages: [name: string, damage: (file: string, time: string, column: string) => string | Buffer, want: RegExp][] =
  [
    [
      'cut',
      file => file.trim().slice(0, -40),
      /fields where the header has|it is not JSON|its list has no end|is (no|not a) time/,
    ],
    [
      'in Latin-1',
      file => Buffer.from(file.replaceAll('example', 'exämple'), 'latin1'),
      /it is not written in UTF-8|is no file that Daybook recognizes/,
    ],
    [
      'with a renamed column',
      (file, _, column) => file.replaceAll(column, 'Zeit'),
      /is no file that Daybook recognizes|it lacks columns|no time/,
    ],
    [
      'with a date as Americans write it',
      (file, time) => file.replace(time, '10/01/2026 10:00'),
      /is (no|not a) time|has no timestamp|is not JSON/,
    ],
    [
      'with a day that is none',
      (file, time) => file.replace(time, '2026-02-30 10:00:00'),
      /is (no|not a) time|has no timestamp|is not JSON/,
    ],
    ['without a date', (file, time) => file.replace(time, ''), /there is no time|has no timestamp|is not JSON/],
    [
      'with a quote that is not closed',
      file => file.replace(/(?<=\n.*)([,:])(?=[^\n]*\n)/, '$1"'),
      /a quote is not closed|more text|it is not JSON|its list has no end|fields where/,
    ],
  ];
const times: Record<string, [time: string, column: string]> = {
  umami: ['2026-10-01 12:01:00+00', 'created_at'],
  goatcounter: ['2026-10-01T10:01:00Z', 'Date'],
  'plausible-ce': ['2026-10-01 10:01:00', 'timestamp'],
  matomo: ['1790848860', 'timestamp'],
  'simple-analytics': ['2026-10-01T10:01:00.000Z', 'added_iso'],
  fathom: ['2026-10-01 11:00:00', 'datetime'],
  'ga4-bigquery': ['1790848801000000', 'event_timestamp'],
};

test('what is here already is known row by row in every format, and a later export brings its other rows', async () => {
  for (const [format, file] of [['umami', umamiEvents], ...samples] as [string, string][]) {
    const { dir, run } = await prepared();
    assert.is((await run({ export: file })).code, 0, format);
    const before = hitsIn(dir);
    // The same rows in other bytes.
    const again = { 'export.gz': gzipSync(file) };
    const refused = await run(again);
    assert.is(refused.code, 1, `${format}: ${refused.stdout}`);
    assert.match(
      refused.stderr,
      /here already by import 1 \((on|from) 2026-\d\d-\d\d.*Nothing is imported\. --new-only/s,
    );
    const { id, known, outcomes } = (await run(again, '--new-only')).json();
    assert.equal(
      [id, known.length, outcomes['import-known'] > 0, outcomes.recorded],
      [null, 1, true, undefined],
      format,
    );
    assert.equal(hitsIn(dir), before, format);
    // Once the first is taken back, the same command brings them.
    await runCommand(dir, ['import', 'undo', '1']);
    assert.is((await run(again, '--new-only')).json().known.length, 0, format);
    assert.equal(hitsIn(dir), before, format);
  }
});

test('wrong files of every format end with a sentence that names the place, and leave the site as it was', async () => {
  const { dir, run } = await prepared();
  for (const [format, file] of [['umami', umamiEvents], ...samples] as [string, string][])
    for (const [name, damage, want] of damages) {
      const [time, column] = times[format]!;
      assert.ok(file.includes(time) && file.includes(column));
      const ran = await run({ export: damage(file, time, column) });
      const what = `${format} ${name}: ${ran.stderr}${ran.stdout}`;
      assert.is(ran.code, 1, what);
      assert.match(ran.stderr, want, what);
      assert.match(
        ran.stderr,
        /^daybook: \S+export, (line|entry) \d+(, column [^:]+)?: .*\. Nothing is imported\.\n$/s,
        what,
      );
      assert.equal(hitsIn(dir), [], what);
    }
  assert.equal((await runCommand(dir, ['import', 'list', '--json'])).json(), []);
});

const lines = umamiEvents.split('\n');
const wrong: [name: string, content: string | Buffer, want: RegExp][] = [
  ['a cut row', umamiEvents.slice(0, -40), /line 6, column \d+: there are \d+ fields where the header has 18\./],
  ['a quote that is not closed', umamiEvents.replace('lines",1', 'lines,1'), /line 4.*: a quote is not closed\./],
  [
    'text behind a quote',
    umamiEvents.replace('so",1', 'so"x,1'),
    /line 2, column 15: there is more text after the closing quote\./,
  ],
  [
    'a date of another kind',
    umamiEvents.replace('2026-10-01 12:01:00+00', '10/01/2026 12:01'),
    /line 3, column 18 \(created_at\): "10\/01\/2026 12:01" is not a time\./,
  ],
  [
    'a day that is none',
    umamiEvents.replace('2026-10-01 12:01:00', '2026-02-30 12:01:00'),
    /line 3, column 18 \(created_at\): "2026-02-30 12:01:00\+00" is not a time\./,
  ],
  [
    'no date',
    umamiEvents.replace('2026-10-01 12:01:00+00', ''),
    /line 3, column 18 \(created_at\): there is no time\./,
  ],
  [
    'an event of no type',
    umamiEvents.replace(',2,Buy', ',9,Buy'),
    /line 3, column 16 \(event_type\): "9" is not a type of event\./,
  ],
  [
    'Latin-1',
    Buffer.from(umamiEvents.replace('A ""page""', 'Müller'), 'latin1'),
    /line 2, column \d+: it is not written in UTF-8: save it as UTF-8\./,
  ],
  ['UTF-16', Buffer.from(`\uFEFF${umamiEvents}`, 'utf16le'), /line 1: it is written in UTF-16: save it as UTF-8\./],
  ['a binary file', Buffer.from([1, 0, 2, 0, 3, 0, 0, 0]), /line 1: it is not a text file\./],
  [
    'renamed columns',
    umamiEvents.replace('url_path', 'page'),
    /line 1: this is no file that Daybook recognizes. Choose its format: umami, /,
  ],
  ['a cut zip', zipOf({ 'events.csv': umamiEvents }).subarray(0, 200), /it is not a complete zip file\./],
  [
    'a cut list',
    JSON.stringify([{ idVisit: 1, actionDetails: [{ type: 'action', timestamp: 1 }] }]).slice(0, -3),
    /its list has no end|it is not JSON/,
  ],
  [
    'a bomb of a zip',
    zipOf({ 'events.csv': Buffer.alloc(70 * 1024 * 1024, 'a') }),
    /unpacks to more than 300 times its size|the line has no end|is no file that Daybook recognizes/,
  ],
  [
    'a bomb of lines',
    zipOf({ 'events.csv': `${lines[0]}\n${`${lines[1]!.replace('A ""page""', 'a'.repeat(50_000))}\n`.repeat(1600)}` }),
    /unpacks to more than 300 times its size/,
  ],
];

for (const [name, content, want] of wrong)
  test(`${name} ends with a sentence and leaves the site as it was`, async () => {
    const { dir, run } = await prepared();
    const ran = await run({ export: content });
    assert.is(ran.code, 1);
    assert.match(ran.stderr, want, ran.stderr);
    assert.match(ran.stderr, /^daybook: .*export.* Nothing is imported\.\n$/s);
    assert.equal(hitsIn(dir), []);
    assert.equal((await runCommand(dir, ['import', 'list', '--json'])).json(), []);
  });

test('a large file is read by threads of its own, alike and with the same sentences', async () => {
  const [header, row] = lines as [string, string];
  const long = row.replace('A ""page""', `A ""page""${' and more'.repeat(50)}`);
  const rows = Array.from({ length: 7500 }, (_, i) =>
    long.replace('s1', `s${i % 500}`).replace('10-01 12:00:00.5', `10-0${1 + (i % 9)} 12:00:00.5`),
  );
  const text = `${[header, ...rows].join('\n')}\n`;
  assert.ok(text.length > 4 * 1024 * 1024);
  const { dir, run } = await prepared();
  const wrongDate = await run({ export: `${text}${row.replace('2026-10-01', 'yesterday')}\n` });
  assert.match(wrongDate.stderr, /line 7502, column 18 \(created_at\): "yesterday 12:00:00.5\+00" is not a time\./);
  const others = await run({ export: `${text}${text.slice(header.length + 1).replaceAll(/^w/gm, 'x')}` });
  assert.match(others.stderr, /line 7502, column 1 \(website_id\): there are several sites/);
  const ran = await run({ export: text });
  assert.equal(ran.json().outcomes, { recorded: 7500 });
  assert.equal(ran.json().source, { visitors: 500, visits: 1, pageviews: 7500, events: 0 });
  assert.is(ran.json().counted.visitors, 4500);
  assert.is(hitsIn(dir).length, 7500);
});

test.run();
