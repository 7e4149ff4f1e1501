import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { settingFlag } from '../src/cli/flags.ts';
import { flagOf, mailOf, readConfig, readSetting, SettingError, settingNames, settings } from '../src/config.ts';

const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    assert.instance(error, SettingError);
    return (error as Error).message;
  }
  return 'nothing was thrown';
};

test('the defaults are usable and hold together', () => {
  const config = readConfig({}, {});
  assert.is(config.port, 8080);
  assert.is(config.host, '127.0.0.1');
  assert.is(config.collectorPort, null);
  assert.equal(config.trustProxy, ['loopback']);
  assert.is(config.queryDeadlineMs, 30_000);
});

test('a flag beats the environment, which beats the default; an empty variable counts as unset', () => {
  assert.is(readSetting('port', {}, {}), 8080);
  assert.is(readSetting('port', { PORT: '81' }, {}), 81);
  assert.is(readSetting('port', { PORT: '81' }, { port: '82' }), 82);
  assert.is(readSetting('port', { PORT: '' }, {}), 8080);
});

test('values are read in their unit', () => {
  const config = readConfig(
    {
      BASE_URL: 'https://stats.example.com/',
      COLLECTOR_URL: 'https://example.com/hits/',
      TRUST_PROXY: 'loopback, 10.0.0.0/8 ::FFFF:192.0.2.1',
      HIT_QUEUE_MB: '2',
      PLAN_QUOTAS: 'hobby=10000, pro=100000',
    },
    { 'collector-port': '0', 'shutdown-s': '3' },
  );
  assert.is(config.baseUrl, 'https://stats.example.com');
  assert.is(config.collectorUrl, 'https://example.com/hits');
  assert.equal(config.trustProxy, ['loopback', '10.0.0.0/8', '192.0.2.1']);
  assert.is(config.hitQueueBytesMax, 2 * 1024 * 1024);
  assert.equal(config.planQuotas, { hobby: 10_000, pro: 100_000 });
  assert.is(config.collectorPort, 0);
  assert.is(config.shutdownMs, 3000);
});

test('a mail server is read from its address, and so is who mail is from', () => {
  const env = {
    SMTP_URL: 'smtps://ada%40a.example:p%40ss%3A1@smtp.example.com',
    MAIL_FROM: 'Daybook <Reports@a.example>',
  };
  const mail = mailOf(readConfig(env, {}));
  assert.equal(mail, {
    server: {
      host: 'smtp.example.com',
      port: 465,
      isSecure: true,
      login: { user: 'ada@a.example', password: 'p@ss:1' },
    },
    from: { name: 'Daybook', address: 'reports@a.example' },
    ...{ tls: 'required', perHour: 500 },
  });
  const plain = mailOf(readConfig({ SMTP_URL: 'smtp://[::1]:25', MAIL_FROM: 'a@b.example', SMTP_TLS: 'none' }, {}));
  assert.equal(plain?.server, { host: '::1', port: 25, isSecure: false, login: null });
  assert.is(mailOf(readConfig({ MAIL_FROM: 'a@b.example' }, {})), null);
  const noFrom = messageOf(() => readConfig({ SMTP_URL: 'smtp://a.example' }, {}));
  assert.is(noFrom, 'SMTP_URL needs MAIL_FROM: from whom mail is.');
  const inTheClear = { SMTP_URL: 'smtp://a.example', MAIL_FROM: 'a@b.example', SMTP_TLS: 'none' };
  assert.match(
    messageOf(() => readConfig(inTheClear, {})),
    /another machine/,
  );
  for (const url of ['http://a', 'smtp://', 'smtp://a/b', 'smtp://a?x=1', 'secret'])
    assert.match(
      messageOf(() => readConfig({ SMTP_URL: url }, {})),
      /^SMTP_URL must look like/,
    );
  assert.is(
    messageOf(() => readConfig({ SMTP_URL: 'smtp://u:50%off@a.example' }, {})),
    'SMTP_URL holds a % that is no escape: write %25 for it.',
  );
  for (const from of ['a', 'A <a>', 'A\nBcc: x <a@b.example>', 'A, B <b@c.example> <a@b.example>'])
    assert.match(
      messageOf(() => readConfig({ MAIL_FROM: from }, {})),
      /^MAIL_FROM is .*: it must look like/,
    );
});

const unusable: [name: string, env: Record<string, string>, flags: Record<string, string>, message: string][] = [
  ['a port too high', { PORT: '65536' }, {}, 'PORT is "65536": it must be a whole number from 0 to 65535.'],
  ['a port that is no number', {}, { port: '8080x' }, '--port is "8080x": it must be a whole number from 0 to 65535.'],
  ['a fraction', { QUERY_WORKERS: '1.5' }, {}, 'QUERY_WORKERS is "1.5": it must be a whole number from 1 to 64.'],
  [
    'an address without scheme',
    { BASE_URL: 'stats.example.com' },
    {},
    'BASE_URL is "stats.example.com": it must be an address that begins with http:// or https://.',
  ],
  [
    'pages below a path',
    { BASE_URL: 'https://a.example/stats/' },
    {},
    'BASE_URL is "https://a.example/stats/": it must be a host of its own, without a path.',
  ],
  [
    'an address with a query',
    { BASE_URL: 'https://a.example/?b' },
    {},
    'BASE_URL is "https://a.example/?b": it must not have a user, query or hash.',
  ],
  [
    'a proxy that is no address',
    { TRUST_PROXY: 'loopback,nginx' },
    {},
    'TRUST_PROXY is "loopback,nginx": it must be a list of loopback, private, addresses and CIDR ranges.',
  ],
  [
    'a quota of no plan',
    { PLAN_QUOTAS: 'gold=1' },
    {},
    'PLAN_QUOTAS is "gold=1": it must look like hobby=10000,pro=100000,business=1000000.',
  ],
  [
    'one port twice',
    { COLLECTOR_PORT: '8080' },
    {},
    'PORT and COLLECTOR_PORT are the same: leave out COLLECTOR_PORT to serve both on one port.',
  ],
  [
    'a cache too small for its workers',
    { QUERY_CACHE_MB: '3', QUERY_WORKERS: '4' },
    {},
    'QUERY_CACHE_MB leaves less than 1 MiB for each of the QUERY_WORKERS: raise the one or lower the other.',
  ],
];
for (const [name, env, flags, message] of unusable) {
  test(`refused: ${name}`, () =>
    assert.is(
      messageOf(() => readConfig(env, flags)),
      message,
    ));
}

test('every setting has a flag of its own, a meaning, and a default that passes', () => {
  assert.is(new Set(settingNames.map(flagOf)).size, settingNames.length);
  for (const name of settingNames) {
    const { initial, meaning, parse } = settings[name];
    assert.ok(meaning.length > 10, name);
    if (initial !== null) parse(initial);
  }
});

test('no help tells of the machine that made it', () => {
  const { meaning } = settingFlag('queryWorkers');
  assert.match(meaning, 'default: processors less one, at least 2');
});

test.run();
