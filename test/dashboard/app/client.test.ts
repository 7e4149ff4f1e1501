import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../src/dashboard/app/client.ts';
import { RequestFailed } from '../../../src/dashboard/app/fetch-json.ts';
import { loadTexts } from '../../../src/dashboard/app/texts/load-texts.ts';

await loadTexts('en');

/** A server whose answers a test writes piece by piece, and a client that nobody is signed out of unnoticed. */
const openStage = async () => {
  const asked: ((response: ServerResponse) => void)[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    asked.shift()?.(response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  let signedOut = 0;
  const client = createClient({
    shareToken: null,
    onProof: async () => false,
    onSignedOut: () => signedOut++,
    now: () => 7,
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    client,
    path: `${origin}/numbers`,
    /** Path of a question to the API about a site. */
    question: (ask: string, site = 'a'): string => `${origin}/api/v1/sites/${site}/${ask}`,
    requests,
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

/**
 * Sends a piece. Nothing tells from outside that it has reached the client; had it not, what follows would hold all
 * the same.
 */
const sent = async (response: ServerResponse, piece: string | Buffer): Promise<void> => {
  await new Promise(resolve => response.write(piece, resolve));
  for (let turn = 0; turn < 20; turn++) await nextTurn();
};

/** The response whose head and first half have reached the client. */
const half = async ({ client, path, next }: Stage, signal?: AbortSignal) => {
  const asked = next();
  const answer = failureOf(client.get(path, signal));
  const response = await asked;
  await sent(response.writeHead(200, { 'content-type': 'application/json', 'content-length': 14 }), '{"visi');
  return { answer, response };
};

staged('an answer is kept until all are forgotten', async ({ client, path, next }) => {
  const asked = next();
  const answer = client.get(path);
  (await asked).end('{"visitors":1}');
  assert.equal(await answer, { visitors: 1 });
  assert.equal(client.kept(path), { data: { visitors: 1 }, at: 7 });
  client.forget();
  assert.is(client.kept(path), undefined);
});

staged('half an answer to a canceled request is none', async stage => {
  const gone = new AbortController();
  const { answer } = await half(stage, gone.signal);
  gone.abort();
  assert.is((await answer).name, 'AbortError');
  assert.is(stage.client.kept(stage.path), undefined);
});

staged('half an answer of a server that went away is an error', async stage => {
  const { answer, response } = await half(stage);
  response.destroy();
  const error = await answer;
  assert.instance(error, RequestFailed);
  assert.is(error.status, 0);
  assert.is(stage.client.kept(stage.path), undefined);
});

staged('half an answer leaves the earlier one in place', async stage => {
  const { client, path, next } = stage;
  const asked = next();
  const answer = client.get(path);
  (await asked).end('{"visitors":1}');
  await answer;
  const gone = new AbortController();
  const second = await half(stage, gone.signal);
  gone.abort();
  await second.answer;
  assert.equal(client.kept(path), { data: { visitors: 1 }, at: 7 });
});

for (const [status, body, message] of [
  [503, '{"error":"too many queries"}', 'too many queries'],
  [502, '<h1>Bad gateway</h1>', 'The server answered with status 502.'],
  [200, '<h1>Log in to the network</h1>', 'The server sent an invalid answer.'],
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

staged(
  'an answer that nobody is signed in is reported when it comes again',
  async ({ client, path, next, signedOut }) => {
    const asked = [next(), next()];
    const answer = failureOf(client.get(path));
    (await asked[0]!).writeHead(401).end('{"error":"no"}');
    const again = await asked[1]!;
    assert.is(signedOut(), 0);
    again.writeHead(401).end('{"error":"no"}');
    await answer;
    assert.is(signedOut(), 1);
  },
);

staged('a question is asked again when its cookie changed on its way', async ({ client, path, next, signedOut }) => {
  const asked = [next(), next()];
  const answer = client.get(path);
  (await asked[0]!).writeHead(401).end('{"error":"no"}');
  (await asked[1]!).end('{"visitors":1}');
  assert.equal(await answer, { visitors: 1 });
  assert.is(signedOut(), 0);
});

/** What was asked in each request: the questions of one about several, or its path. */
const asksOf = ({ requests }: Stage): string[][] =>
  requests.map(({ url }) => {
    const { pathname, search, searchParams } = new URL(url!, 'http://x');
    return pathname.endsWith('/answers') ? searchParams.getAll('ask') : [pathname + search];
  });

staged('questions of one turn go out as one request, and each is answered as its line comes', async stage => {
  const { client, question, next } = stage;
  const paths = ['stats?path=%2F', 'series?path=%2F', 'breakdown?path=%2F&limit=1'].map(ask => question(ask));
  const asked = next();
  const [stats, series, breakdown] = paths.map(path => client.get(path));
  const failed = failureOf(breakdown!);
  const response = await asked;
  assert.match(stage.requests[0]!.url!, /^\/api\/ext\/sites\/a\/answers\?/);
  assert.equal(asksOf(stage), [['stats?path=%2F', 'series?path=%2F', 'breakdown?path=%2F&limit=1']]);

  const lines = [
    '{"ask":1,"status":200,"body":{"data":"ü"}}\n',
    '{"ask":2,"status":503,"body":{"error":"too many queries"}}\n{"ask":0,"status":200,"body":{"visitors":1}}\n',
  ].map(line => Buffer.from(line));
  // Cut in the middle of a letter.
  const cut = lines[0]!.indexOf(0xc3) + 1;
  await sent(response, lines[0]!.subarray(0, cut));
  response.write(lines[0]!.subarray(cut));
  assert.equal(await series, { data: 'ü' });
  assert.equal(client.kept(paths[1]!)?.data, { data: 'ü' });
  assert.is(client.kept(paths[0]!), undefined);
  response.end(lines[1]);
  assert.equal(await stats, { visitors: 1 });
  const { status, message } = await failed;
  assert.equal([status, message], [503, 'too many queries']);
});

staged('a single question, or one about another site, goes alone', async stage => {
  const { client, question, next } = stage;
  for (const site of ['a', 'b']) {
    const asked = next();
    const answer = client.get(question('stats', site));
    (await asked).end('{"visitors":1}');
    assert.equal(await answer, { visitors: 1 });
  }
  const both = [next(), next()];
  const answers = ['a', 'b'].map(site => client.get(question('stats', site)));
  for (const response of await Promise.all(both)) response.end('{"visitors":2}');
  assert.equal(await Promise.all(answers), [{ visitors: 2 }, { visitors: 2 }]);
  assert.equal(
    asksOf(stage).flat().sort(),
    ['a', 'a', 'b', 'b'].map(site => `/api/v1/sites/${site}/stats`),
  );
});

staged('no request has more questions or a longer address than a server takes', async stage => {
  const { client, question, next } = stage;
  const asks = [
    ...Array.from({ length: 25 }, (_, i) => `stats?_=${i}`),
    ...Array.from({ length: 4 }, (_, i) => `stats?path=${'%C3%BC'.repeat(316)}${i}`),
  ];
  const responses = Array.from({ length: 3 }, next);
  const answers = asks.map(ask => client.get(question(ask)));
  for (const response of responses) {
    const { url } = (await response).req;
    const count = new URL(url!, 'http://x').searchParams.getAll('ask').length;
    (await response).end(Array.from({ length: count }, (_, i) => `{"ask":${i},"status":200,"body":{}}\n`).join(''));
  }
  await Promise.all(answers);
  const sent = asksOf(stage);
  assert.equal(sent.flat(), asks);
  for (const { url } of stage.requests) assert.ok(url!.length < 8000, url);
});

staged('a canceled question is not waited for, and a request without others is canceled', async stage => {
  const { client, question, next } = stage;
  const [first, second] = [new AbortController(), new AbortController()];
  const asked = next();
  const answers = [first, second].map(({ signal }, i) => failureOf(client.get(question(`stats?_=${i}`), signal)));
  const response = await asked;
  first.abort();
  assert.is((await answers[0]!).name, 'AbortError');
  assert.not.ok(response.destroyed);
  second.abort();
  assert.is((await answers[1]!).name, 'AbortError');
  await new Promise<void>(resolve => response.once('close', resolve));
});

staged('a question canceled before it goes out is never sent', async stage => {
  const { client, question, next } = stage;
  const gone = new AbortController();
  const asked = next();
  const taken = failureOf(client.get(question('stats'), gone.signal));
  const answer = client.get(question('series'));
  gone.abort();
  (await asked).end('{"data":[]}');
  assert.equal(await answer, { data: [] });
  assert.is((await taken).name, 'AbortError');
  assert.is((await failureOf(client.get(question('stats'), gone.signal))).name, 'AbortError');
  assert.equal(asksOf(stage), [['/api/v1/sites/a/series']]);
});

for (const [what, end] of [
  ['goes away', response => response.destroy()],
  ['has said nothing more', response => response.end()],
  ['says something else', response => response.end('<h1>Bad gateway</h1>\n')],
] as [string, (response: ServerResponse) => void][]) {
  staged(`a server that ${what} after one answer has not given the other`, async ({ client, question, next }) => {
    const asked = next();
    const answer = client.get(question('stats'));
    const other = failureOf(client.get(question('series')));
    const response = await asked;
    response.write('{"ask":0,"status":200,"body":{"visitors":1}}\n{"ask":1,"status":2');
    assert.equal(await answer, { visitors: 1 });
    end(response);
    const error = await other;
    assert.instance(error, RequestFailed);
    assert.is(error.status, 0);
  });
}

staged('a refused request fails all its questions', async ({ client, question, next, signedOut }) => {
  const asked = [next(), next()];
  const answers = ['stats', 'series'].map(ask => failureOf(client.get(question(ask))));
  for (const response of asked) (await response).writeHead(401).end('{"error":"no"}');
  for (const answer of answers) assert.equal([(await answer).status, (await answer).message], [401, 'no']);
  assert.ok(signedOut() > 0);
});

test.run();
