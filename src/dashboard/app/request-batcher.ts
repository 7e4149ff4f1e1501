/**
 * What a page asks in one go about a site is asked in one request (docs/api.md, "Beyond"): a browser has no more than six of them on their way to a
 * host and some work with each, and the server works out once what the questions have in common. Each is answered by itself, as soon as it can be.
 */
import { asksPerRequestMax } from '../../model/limits.ts';
import { fetchJson, type Heard, heard, whole } from './fetch-json.ts';

/** Characters of the questions in one request: servers and proxies bound the length of an address. */
const charsMax = 4000;

/** A question to the API about a site, in three parts: where the API is, the site, and what is asked about it. */
const question = /^([^?]*?)\/api\/v1\/sites\/([^/?]+)\/(\w+(?:\?.*)?)$/s;

interface Waiting {
  path: string;
  /** Where questions are asked that can go along with it. */
  place: string;
  ask: string;
  signal: AbortSignal | undefined;
  resolve(heard: Heard | Promise<Heard>): void;
  reject(error: unknown): void;
}

export type Ask = (path: string, signal?: AbortSignal) => Promise<Heard>;

/** Asks questions, each with these headers. What it gives throws as `reach` does. */
export const requestBatcher = (headers: Record<string, string>): Ask => {
  let waiting: Waiting[] = [];

  const single = (path: string, signal?: AbortSignal): Promise<Heard> =>
    fetchJson(path, { headers, ...(signal === undefined ? {} : { signal }) });

  const sendAll = (): void => {
    const asked = waiting.filter(({ signal }) => signal?.aborted !== true);
    waiting = [];
    for (const group of groupsOf(asked)) {
      if (group.length > 1) void send(group, headers);
      else for (const { path, signal, resolve } of group) resolve(single(path, signal));
    }
  };

  return (path, signal) => {
    const [, base, site, ask] = question.exec(path) ?? [];
    if (ask === undefined) return single(path, signal);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      // Once all is drawn that is about to be, and so everything is asked.
      if (waiting.length === 0) queueMicrotask(sendAll);
      waiting.push({ path, place: `${base}/api/ext/sites/${site}/answers`, ask, signal, resolve, reject });
    });
  };
};

/** In their order, as many in each as one request has room for. */
const groupsOf = (asked: readonly Waiting[]): Waiting[][] => {
  const groups: Waiting[][] = [];
  let chars = 0;
  for (const each of asked) {
    const group = groups.at(-1);
    chars += each.ask.length;
    if (group?.[0]?.place === each.place && group.length < asksPerRequestMax && chars <= charsMax) {
      group.push(each);
      continue;
    }
    groups.push([each]);
    chars = each.ask.length;
  }
  return groups;
};

/** Taken back when every one of them is. */
const send = async (asked: readonly Waiting[], headers: Record<string, string>): Promise<void> => {
  const gone = new AbortController();
  const { signal } = gone;
  const leave = (): void => {
    if (asked.every(each => each.signal?.aborted)) gone.abort();
  };
  for (const each of asked) each.signal?.addEventListener('abort', leave, { once: true });

  const path = `${asked[0]!.place}?${new URLSearchParams(asked.map(({ ask }) => ['ask', ask]))}`;
  try {
    await whole(signal, async () => {
      const response = await fetch(path, { headers, signal });
      if (response.ok) return hear(response, asked);
      const refused = await heard(response);
      for (const { resolve } of asked) resolve(refused);
    });
  } catch (error) {
    // Those that were answered before are.
    for (const { reject } of asked) reject(error);
  }
};

/** Throws when the answer ends before every question is answered, or is none to them. */
const hear = async (response: Response, asked: readonly Waiting[]): Promise<void> => {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let left = asked.length;
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop()!;
    // In one go, so that what came at once is drawn at once.
    for (const line of lines) {
      const { ask, ...answer } = JSON.parse(line) as Heard & { ask: number };
      asked[ask]!.resolve(answer);
    }
    left -= lines.length;
  }
  if (left > 0) throw new Error('ended early');
};
