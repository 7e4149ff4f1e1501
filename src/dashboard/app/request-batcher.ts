/**
 * The request batcher: all questions of a page about a site go out in one request (docs/api.md,
 * "Beyond"). A browser opens at most six requests to a host and has work with each, and the server
 * works out once what the questions share. Each gets its own answer.
 */
import { asksPerRequestMax } from '../../model/limits.ts';
import { fetchJson, type JsonResponse, orRequestFailed, readJson } from './fetch-json.ts';

/**
 * Characters of the questions in one request: servers and proxies limit the length of an address.
 */
const charsMax = 4000;

/**
 * A question to the API about a site, in three parts: the base of the API, the site, and the
 * question itself.
 */
const question = /^([^?]*?)\/api\/(?:v1|(ext))\/sites\/([^/?]+)\/([\w-]+)(\?.*)?$/s;
/** Those beyond /api/v1 that share a request. */
const batchedBeyond: readonly string[] = ['goals', 'series', 'table', 'notes', 'visitor', 'latest-hits', 'members'];

interface PendingQuestion {
  path: string;
  /** Path of the request that it can share with others. */
  endpoint: string;
  ask: string;
  signal: AbortSignal | undefined;
  resolve(response: JsonResponse | Promise<JsonResponse>): void;
  reject(error: unknown): void;
}

/** Fetches JSON with these headers, batched where that is possible. Throws as fetchJson does. */
export const requestBatcher = (
  headers: Record<string, string>,
): ((path: string, signal?: AbortSignal) => Promise<JsonResponse>) => {
  let pending: PendingQuestion[] = [];

  const single = (path: string, signal?: AbortSignal): Promise<JsonResponse> =>
    fetchJson(path, { headers, ...(signal === undefined ? {} : { signal }) });

  const sendAll = (): void => {
    const asked = pending.filter(({ signal }) => signal?.aborted !== true);
    pending = [];
    for (const group of groupsOf(asked)) {
      if (group.length > 1) void send(group, headers);
      else for (const { path, signal, resolve } of group) resolve(single(path, signal));
    }
  };

  return (path, signal) => {
    const [, base, ext, site, name = '', search = ''] = question.exec(path) ?? [];
    if (site === undefined || (ext !== undefined && !batchedBeyond.includes(name))) return single(path, signal);
    const ask = (ext === undefined ? '' : 'ext/') + name + search;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      // After all components have drawn, and so asked.
      if (pending.length === 0) queueMicrotask(sendAll);
      pending.push({ path, endpoint: `${base}/api/ext/sites/${site}/answers`, ask, signal, resolve, reject });
    });
  };
};

/** The questions in their order, as many in each group as one request has room for. */
const groupsOf = (asked: readonly PendingQuestion[]): PendingQuestion[][] => {
  const groups: PendingQuestion[][] = [];
  let chars = 0;
  for (const each of asked) {
    const group = groups.at(-1);
    chars += each.ask.length;
    if (group?.[0]?.endpoint === each.endpoint && group.length < asksPerRequestMax && chars <= charsMax) {
      group.push(each);
      continue;
    }
    groups.push([each]);
    chars = each.ask.length;
  }
  return groups;
};

/** Sends questions in one request. It is aborted when every one of them is. */
const send = async (questions: readonly PendingQuestion[], headers: Record<string, string>): Promise<void> => {
  const gone = new AbortController();
  const { signal } = gone;
  const abortIfUnused = (): void => {
    if (questions.every(each => each.signal?.aborted)) gone.abort();
  };
  for (const each of questions) each.signal?.addEventListener('abort', abortIfUnused, { once: true });

  const path = `${questions[0]!.endpoint}?${new URLSearchParams(questions.map(({ ask }) => ['ask', ask]))}`;
  try {
    await orRequestFailed(signal, async () => {
      const response = await fetch(path, { headers, signal });
      if (response.ok) return readAnswers(response, questions);
      const refusal = await readJson(response);
      for (const { resolve } of questions) resolve(refusal);
    });
  } catch (error) {
    // Has no effect on those that have their answer.
    for (const { reject } of questions) reject(error);
  }
};

/** Gives each question its line. Throws when lines are missing or not JSON. */
const readAnswers = async (response: Response, questions: readonly PendingQuestion[]): Promise<void> => {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let left = questions.length;
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop()!;
    // All in one task, so that answers that came together are drawn together.
    for (const line of lines) {
      const { ask, ...answer } = JSON.parse(line) as JsonResponse & { ask: number };
      questions[ask]!.resolve(answer);
    }
    left -= lines.length;
  }
  if (left > 0) throw new Error('ended early');
};
