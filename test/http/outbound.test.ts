import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createOutbound, isPublicAddress, type OutboundSettings, type Resolve } from '../../src/http/outbound.ts';

const asked: { url: string; host: string | undefined }[] = [];
const server = createServer(({ url, headers }, response) => {
  asked.push({ url: url!, host: headers.host });
  if (url === '/redirect') response.writeHead(302, { location: '/secret' }).end();
  else if (url === '/hang') response.flushHeaders();
  else if (url === '/silent') return;
  else if (url === '/long') response.end(Buffer.alloc(10_000_000));
  else response.end('here');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

/** By name, what addresses it has at each look-up. */
const names: Record<string, string[][]> = {};
const resolve: Resolve = (hostname, _, done) => {
  const answers = names[hostname] ?? [];
  const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
  done(
    null,
    addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
};
const get = (url: string, settings: Partial<OutboundSettings> = {}, waitMs = 2000) =>
  createOutbound({ isPrivateAllowed: false, allow: [], resolve, ...settings })(url, {
    ...{ method: 'GET', headers: {}, waitMs, bytesMax: 1000 },
  });
const failureOf = (url: string, settings?: Partial<OutboundSettings>, waitMs?: number): Promise<string> =>
  get(url, settings, waitMs).then(
    ({ status }) => `answered ${status}`,
    (error: Error) => error.message,
  );

test('only addresses of the internet are public', () => {
  const own = [
    ...['127.0.0.1', '10.1.2.3', '192.168.1.1', '169.254.169.254', '172.16.0.1', '100.64.0.1', '0.0.0.0', '224.0.0.1'],
    ...['255.255.255.255', '198.18.0.1', '192.0.2.1', '240.0.0.1', '::', '::1', 'fe80::1', 'fd00::1', 'fd00:ec2::254'],
    ...['fec0::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::7f00:1', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1'],
    ...['64:ff9b:1::a00:1', '2002:7f00:1::', '2001::1', '2001:db8::1', 'ff02::1', '100::1', 'x', ''],
  ];
  for (const address of own) assert.not(isPublicAddress(address), address);
  for (const address of ['93.184.216.34', '2606:2800:220:1::1', '::ffff:93.184.216.34'])
    assert.ok(isPublicAddress(address), address);
});

test('a private address is refused in each of its disguises', async () => {
  names['inside.example'] = [['10.0.0.7']];
  names['mapped.example'] = [['::ffff:7f00:1']];
  names['both.example'] = [['93.184.216.34', '127.0.0.1']];
  names['nowhere.example'] = [[]];
  names['dot.example'] = [['192.168.0.1']];
  const disguises = [
    ...['127.0.0.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001', '127.1', '127.0.0.1.'],
    ...['%31%32%37.0.0.1', '①②⑦.0.0.1', '127。0。0。1', '0', '0.0.0.0', '[::1]', '[::]', '[::ffff:7f00:1]'],
    ...['[::ffff:127.0.0.1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fd00:ec2::254]', '[fe80::1]'],
    ...['169.254.169.254', '0xa9fea9fe', '100.64.0.1', '10.0.0.1', '192.168.1.1', 'inside.example', 'INSIDE.example'],
    ...['mapped.example', 'both.example', 'nowhere.example', 'dot.example'],
  ];
  for (const host of disguises)
    assert.match(await failureOf(`https://${host}:${port}/secret`), /has no public address/, host);
  assert.match(
    await failureOf(`https://localhost:${port}/`, {
      resolve: (_, __, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    }),
    /no public/,
  );
  assert.match(await failureOf(`https://user:pass@127.0.0.1:${port}/`), /user or password/);
  assert.match(await failureOf(`https://user@93.184.216.34/`), /user or password/);
  for (const url of ['ftp://93.184.216.34/', 'file:///etc/passwd', 'gopher://127.0.0.1/', 'text', ''])
    assert.match(await failureOf(url), /https:\/\//, url);
  names['plain.example'] = [['93.184.216.34']];
  assert.match(await failureOf('http://plain.example/'), /use https/);
  assert.equal(asked, [], 'nothing was connected to');
});

test('a name that changes its address between two look-ups gets nothing', async () => {
  names['rebinding.example'] = [['93.184.216.34'], ['127.0.0.1']];
  let lookUps = 0;
  const counted: Resolve = (hostname, options, done) => {
    lookUps++;
    resolve(hostname, options, done);
  };
  await failureOf(`https://rebinding.example:${port}/`, { resolve: counted }, 200);
  assert.is(lookUps, 1);
  assert.equal(asked, []);
});

test('what the operator allows is asked, with the name as host', async () => {
  names['gotify.lan'] = [['127.0.0.1']];
  const url = `http://gotify.lan:${port}/x`;
  for (const settings of [
    { allow: ['gotify.lan'] },
    { allow: ['127.0.0.0/8'] },
    { allow: ['loopback'] },
    { isPrivateAllowed: true },
  ]) {
    asked.length = 0;
    const { status, body, isCut } = await get(url, settings);
    assert.equal([status, String(body), isCut], [200, 'here', false]);
    assert.equal(asked, [{ url: '/x', host: `gotify.lan:${port}` }]);
  }
  assert.match(await failureOf(url, { allow: ['other.lan', '10.0.0.0/8'] }), /use https/);
});

test('the name is told to the host before it shows its certificate', async () => {
  names['tls.lan'] = [['127.0.0.1']];
  const told: string[] = [];
  const secure = createTlsServer({
    SNICallback(name, done) {
      told.push(name);
      done(new Error('no certificate'));
    },
  }).listen(0, '127.0.0.1');
  await once(secure, 'listening');
  await failureOf(`https://tls.lan:${(secure.address() as AddressInfo).port}/`, { allow: ['tls.lan'] });
  assert.equal(told, ['tls.lan']);
  secure.close();
});

test('no redirect is followed, and no answer takes long or much', async () => {
  const settings = { isPrivateAllowed: true };
  names['host.lan'] = [['127.0.0.1']];
  const at = `http://host.lan:${port}`;
  asked.length = 0;
  assert.is((await get(`${at}/redirect`, settings)).status, 302);
  assert.equal(
    asked.map(({ url }) => url),
    ['/redirect'],
  );
  const long = await get(`${at}/long`, settings);
  assert.equal([long.body.length, long.isCut], [1000, true]);
  for (const path of ['hang', 'silent'])
    assert.is(await failureOf(`${at}/${path}`, settings, 100), 'host.lan did not answer within 0.1 s');
});

test('an answer that wants another protocol is a failure, and not waited for', async () => {
  const other = createTcpServer(socket =>
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ),
  ).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
  assert.match(await failureOf(url, { isPrivateAllowed: true }, 200), /another protocol/);
  other.close();
});

test.after(() => {
  server.closeAllConnections();
  server.close();
});
test.run();
