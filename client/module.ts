/**
 * `@daybook/client`: every operation of the API by its name. Which there are comes from the API's
 * own description when the package is made (.ci/client.mjs); index.d.ts types them.
 */

/** By the operation's name: its method and its path. */
declare const operations: Readonly<Record<string, readonly [method: string, path: string]>>;

interface Options {
  url: string;
  key: string;
  retries?: number;
  signal?: AbortSignal;
  fetch?: typeof fetch;
}

interface Failure {
  error?: string;
  parameter?: string;
  value?: string;
  field?: string;
  allowed?: readonly string[];
}

export class DaybookError extends Error {
  override readonly name = 'DaybookError';
  readonly status: number;
  readonly error: string;
  readonly parameter: string | undefined;
  readonly value: string | undefined;
  readonly field: string | undefined;
  readonly allowed: readonly string[] | undefined;

  constructor(status: number, { error = `status ${status}`, parameter, value, field, allowed }: Failure) {
    super(parameter === undefined ? error : `${error} (${parameter})`);
    this.status = status;
    this.error = error;
    this.parameter = parameter;
    this.value = value;
    this.field = field;
    this.allowed = allowed;
  }
}

/** Waits are as long as the server says, within a bound. */
const waitSecondsMax = 60;
const retriesDefault = 3;

const sleep = (seconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener('abort', stop, { once: true });
  });

const searchOf = (question: Readonly<Record<string, unknown>>): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(question))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && each !== null)
        search.append(name, typeof each === 'boolean' ? String(Number(each)) : String(each));
  return search.size === 0 ? '' : `?${search}`;
};

const failureOf = async (response: Response): Promise<DaybookError> => {
  const text = await response.text();
  try {
    return new DaybookError(response.status, JSON.parse(text));
  } catch {
    // Something between here and the server answered.
    return new DaybookError(response.status, {});
  }
};

/** JSON, lines of JSON as a list, or the text of a CSV. */
const contentOf = async (response: Response): Promise<unknown> => {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return response.json();
  const text = await response.text();
  if (!type.startsWith('application/x-ndjson')) return text;
  return text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
};

type Call = (...given: readonly unknown[]) => Promise<unknown>;

export const createClient = ({ url, key, retries = retriesDefault, signal, fetch: send = fetch }: Options) => {
  const base = url.replace(/\/+$/, '');

  const ask = async (method: string, address: string, body: unknown): Promise<unknown> => {
    const sent: RequestInit = {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    for (let left = retries; ; left--) {
      const response = await send(address, sent);
      if (response.ok) return contentOf(response);
      const isBusy = response.status === 429 || response.status === 503;
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      if (!isBusy || left <= 0 || !(seconds <= waitSecondsMax)) throw await failureOf(response);
      await response.body?.cancel();
      await sleep(seconds, signal);
    }
  };

  const callOf =
    ([method, path]: readonly [string, string]): Call =>
    (...given) => {
      const rest = [...given];
      const filled = path.replace(/\{\w+\}/g, () => encodeURIComponent(String(rest.shift())));
      const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
      const body = hasBody ? rest.shift() : undefined;
      const [question = {}] = rest;
      return ask(method, base + filled + searchOf(question as Record<string, unknown>), body);
    };
  const calls = Object.fromEntries(Object.entries(operations).map(([name, row]) => [name, callOf(row)]));

  async function* each(name: string, site: string, question: object = {}): AsyncGenerator<unknown> {
    let cursor: string | null | undefined;
    do {
      const asked = { ...question, ...(cursor && { cursor }) };
      const page = (await calls[name]!(site, asked)) as { data: unknown[]; next: string | null };
      yield* page.data;
      cursor = page.next;
    } while (cursor);
  }

  return { ...calls, each };
};

/** An answer or the error as a value; other errors than the server's are thrown all the same. */
export const settled = <T>(
  answer: Promise<T>,
): Promise<{ data: T; error: undefined } | { data: undefined; error: DaybookError }> =>
  answer.then(
    data => ({ data, error: undefined }),
    error => {
      if (error instanceof DaybookError) return { data: undefined, error };
      throw error;
    },
  );
