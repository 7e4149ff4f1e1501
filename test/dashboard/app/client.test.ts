import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient, RequestFailed } from '../../../src/dashboard/app/client.ts';

/** A server whose answers a test writes piece by piece, and a client that nobody is signed out of unnoticed. */
const openStage = async () => {
  const asked: ((response: ServerResponse) => void)[] = [];
  const server = createServer((_, response) => asked.shift()!(response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  let signedOut = 0;
  const client = createClient({ shareToken: null, onSignedOut: () => signedOut++ });
  return {
    client,
    path: `http://127.0.0.1:${(server.address() as AddressInfo).port}/numbers`,
    signedOut: () => signedOut,
    /** The response to the next request, once it is asked for. */
    next: (): Promise<ServerResponse> => new Promise(resolve => asked.push(resolve)),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
};
type Stage = Awaited<ReturnType<typeof openStage>>;

const staged = (name: string, run: (stage: Stage) => Promise<void>): void => {
  test(name, async () => {
    const stage = await openStage();
    try {
      await run(stage);
    } finally {
      stage.close();
    }
  });
};

/** What a request fails with: this, or the signal's own error. */
const failureOf = (promise: Promise<unknown>): Promise<RequestFailed> =>
  promise.then(
    answer => {
      throw new Error(`answered ${JSON.stringify(answer)}`);
    },
    error => error,
  );

/** The response whose head and first half have reached the client. */
const half = async ({ client, path, next }: Stage, signal?: AbortSignal) => {
  const asked = next();
  const answer = failureOf(client.get(path, signal));
  const response = await asked;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 14 }).write('{"visi');
  // Nothing tells from outside that the head is there; were it not, what follows would hold all the same.
  await new Promise(resolve => setTimeout(resolve, 50));
  return { answer, response };
};

staged('an answer is kept, until all are forgotten', async ({ client, path, next }) => {
  const asked = next();
  const answer = client.get(path);
  (await asked).end('{"visitors":1}');
  assert.equal(await answer, { visitors: 1 });
  assert.equal(client.kept(path), { visitors: 1 });
  client.forget();
  assert.is(client.kept(path), undefined);
});

staged('half an answer to a request that was taken back is none', async stage => {
  const gone = new AbortController();
  const { answer } = await half(stage, gone.signal);
  gone.abort();
  assert.is((await answer).name, 'AbortError');
  assert.is(stage.client.kept(stage.path), undefined);
});

staged('half an answer of a server that went away is none', async stage => {
  const { answer, response } = await half(stage);
  response.destroy();
  const error = await answer;
  assert.instance(error, RequestFailed);
  assert.is(error.status, 0);
  assert.is(stage.client.kept(stage.path), undefined);
});

staged('half an answer leaves the one before it', async stage => {
  const { client, path, next } = stage;
  const asked = next();
  const answer = client.get(path);
  (await asked).end('{"visitors":1}');
  await answer;
  const gone = new AbortController();
  const second = await half(stage, gone.signal);
  gone.abort();
  await second.answer;
  assert.equal(client.kept(path), { visitors: 1 });
});

for (const [status, body, message] of [
  [503, '{"error":"too many queries"}', 'too many queries'],
  [502, '<h1>Bad gateway</h1>', 'The server answered with status 502.'],
  [200, '<h1>Log in to the network</h1>', 'The server’s answer cannot be read.'],
] as const) {
  staged(`an answer of status ${status} that is ${body} fails`, async ({ client, path, next }) => {
    const asked = next();
    const answer = failureOf(client.get(path));
    (await asked).writeHead(status).end(body);
    const error = await answer;
    assert.instance(error, RequestFailed);
    assert.is(error.status, status);
    assert.is(error.message, message);
    assert.is(client.kept(path), undefined);
  });
}

staged('an answer that nobody is signed in is told', async ({ client, path, next, signedOut }) => {
  const asked = next();
  const answer = failureOf(client.get(path));
  (await asked).writeHead(401).end('{"error":"no"}');
  await answer;
  assert.is(signedOut(), 1);
});

test.run();
