import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ServedRequest, wholeBody } from '../../src/http/body.ts';
import { until } from '../tools/conditions.ts';

const post = (body: string): string =>
  `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/**
 * The bodies that a server has read, each so long after its request began, of what comes in pieces
 * over one connection. Node has let go of each request then.
 */
const readBodies = async (pieces: readonly string[], readAfterMs: number, count: number): Promise<string[]> => {
  const read: string[] = [];
  const requests: ServedRequest[] = [];
  const server = createServer({ IncomingMessage: ServedRequest }, async (request, response) => {
    requests.push(request);
    if (readAfterMs > 0) await wait(readAfterMs);
    const body = wholeBody(request, 10, () => new Error('too large'));
    read.push(await body.then(String, error => error.message));
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  for (const piece of pieces) {
    socket.write(piece);
    await wait(1);
  }
  await until('all bodies are read', () => read.length === count);
  await until('all streams have ended', () => requests.every(({ readableEnded }) => readableEnded));
  socket.destroy();
  server.close();
  return read;
};

test('a body is the same whether it is read at once or after it has come', async () => {
  const pieces = [...post('one'), post('two') + post(''), post('three').slice(0, -2), 'ee'];
  for (const ms of [0, 30]) assert.equal((await readBodies(pieces, ms, 4)).sort(), ['', 'one', 'three', 'two']);
});

test('a body that grows too large is refused, and what follows is read', async () => {
  const chunk = '8\r\n12345678\r\n';
  const large = `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${chunk}`;
  const pieces = [large, chunk, `${chunk}0\r\n\r\n`, post('two')];
  for (const ms of [0, 30]) assert.equal(await readBodies(pieces, ms, 2), ['too large', 'two']);
});

test.run();
