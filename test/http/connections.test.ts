import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { connectionBound } from '../../src/http/connections.ts';
import { addressMatcher } from '../../src/model/ip-ranges.ts';
import { until } from '../tools/conditions.ts';

const isProxy = addressMatcher(['127.0.0.1']);
/** The third part of the address. */
const networkOf = (address: string): number => (isProxy(address) ? 0 : 1 + Number(address.split('.')[2]));

const clients = (server: Server) => {
  const { port } = server.address() as AddressInfo;
  const open = new Map<string, Set<Socket>>();
  return {
    open: (network: string): number => open.get(network)?.size ?? 0,
    async connect(network: string): Promise<void> {
      const localAddress = network === 'proxy' ? '127.0.0.1' : `127.1.${network}.1`;
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      const those = open.get(network) ?? new Set();
      open.set(network, those.add(socket));
      socket.on('error', () => {});
      socket.once('close', () => those.delete(socket));
      await once(socket, 'connect');
    },
    close: () => {
      for (const those of open.values()) for (const socket of those) socket.destroy();
    },
  };
};

const listening = async (max: number): Promise<Server> => {
  const server = createServer();
  server.on('connection', connectionBound(max, networkOf));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

test('whoever opens many connections loses some of them, and the others keep theirs', async () => {
  const server = await listening(40);
  const { open, connect, close } = clients(server);
  for (let i = 0; i < 10; i++) await connect('proxy');
  for (let network = 10; network < 15; network++) await connect(String(network));
  for (let i = 0; i < 200; i++) await connect('1');
  await until('the many are 25', () => open('1') === 25);
  for (let network = 15; network < 20; network++) await connect(String(network));
  await until('the many are 20', () => open('1') === 20);
  for (let network = 10; network < 20; network++) assert.is(open(String(network)), 1);
  assert.is(open('proxy'), 10);
  close();
  server.close();
});

test('an attack from many networks closes its own connections', async () => {
  const server = await listening(40);
  const { open, connect, close } = clients(server);
  for (let network = 100; network < 105; network++) await connect(String(network));
  for (let round = 0; round < 10; round++)
    for (let network = 1; network <= 10; network++) await connect(String(network));
  let many = 0;
  await until('35 are open', () => {
    many = 0;
    for (let network = 1; network <= 10; network++) many += open(String(network));
    return many === 35;
  });
  for (let network = 100; network < 105; network++) assert.is(open(String(network)), 1);
  close();
  server.close();
});

test('where only a proxy connects, the newest connection is closed', async () => {
  const server = await listening(5);
  const { open, connect, close } = clients(server);
  for (let i = 0; i < 8; i++) await connect('proxy');
  await until('five are open', () => open('proxy') === 5);
  close();
  server.close();
});

test('what was closed leaves its place', async () => {
  const server = await listening(5);
  const { open, connect, close } = clients(server);
  for (let i = 0; i < 4; i++) await connect('1');
  close();
  await until('none is open', () => open('1') === 0);
  await new Promise(resolve => server.getConnections(() => resolve(null)));
  for (let network = 2; network < 7; network++) await connect(String(network));
  for (let network = 2; network < 7; network++) assert.is(open(String(network)), 1);
  close();
  server.close();
});

test.run();
