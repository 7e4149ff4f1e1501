/** How an answer in pieces goes out: as fast as its client reads, and never at the cost of other requests. */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { send } from '../../src/http/reply.ts';

/** Serves one body to one client, and hands over the answer. */
const answered = async (body: Iterable<string>, use: (response: IncomingMessage) => Promise<void>): Promise<void> => {
  const server = createServer((request, response) => void send(request, response, { status: 200, headers: {}, body }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const [response] = (await once(get({ port: (server.address() as AddressInfo).port }), 'response')) as [
      IncomingMessage,
    ];
    await use(response);
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

test('the event loop turns between pieces, so that hits are taken meanwhile', async () => {
  let turns = 0;
  const count = (): void => {
    turns++;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const madeAt: number[] = [];
  function* body(): Generator<string> {
    for (let i = 0; i < 50; i++) {
      madeAt.push(turns);
      yield `${i}\n`;
    }
  }
  await answered(body(), async response => {
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    assert.equal(text.trimEnd().split('\n').map(Number), [...Array(50).keys()]);
  });
  clearImmediate(counting);
  assert.is(new Set(madeAt).size, 50, 'each piece was made in a turn of its own');
});

test('an answer stops being made while its client does not read, and ends when it goes away', async () => {
  let made = 0;
  let ended: () => void;
  const end = new Promise<void>(resolve => {
    ended = resolve;
  });
  function* body(): Generator<string> {
    try {
      for (; made < 10_000; made++) yield 'x'.repeat(16_384);
    } finally {
      ended();
    }
  }
  await answered(body(), async response => {
    response.pause();
    for (let before = -1; before !== made; ) {
      before = made;
      for (let turn = 0; turn < 100; turn++) await new Promise(resolve => setImmediate(resolve));
    }
    assert.ok(made < 5000, `${made} pieces for a client that does not read`);
    response.destroy();
    await end;
  });
});

test.run();
