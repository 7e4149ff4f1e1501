/** A bucket of Amazon S3, or of any server that speaks its protocol. */
import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { StoreError } from '../database.ts';
import type { BucketAccess, Place } from './place.ts';

/** A server that answers no more must not hold the next copy up for longer. */
const timeoutMs = 30_000;
/** What a slow line carries: 256 kbit/s. */
const bytesPerMs = 32;
/** A pack has about as many. */
const objectBytesMax = 8 * 1024 * 1024;
const attempts = 3;

interface Answer {
  status: number;
  body: Buffer;
}

/**
 * `to` is `s3://bucket/prefix` for Amazon's, or `https://host/bucket/prefix` for another server's.
 * Its methods throw StoreError with what the server said.
 */
export const bucket = (to: string, access: BucketAccess): Place => {
  const { root, prefix } = addressOf(to, access.region);
  const client = new AwsClient({ ...access, service: 's3', retries: 0 });

  const send = async (method: string, url: string, body?: Buffer): Promise<Answer> => {
    const hash = createHash('sha256').update(body ?? '');
    // The server refuses a body that arrives with other bytes.
    const headers = { 'x-amz-content-sha256': hash.digest('hex') };
    const patience = new AbortController();
    const giveUp = (): void => patience.abort(new Error('it took too long'));
    const toBegin = setTimeout(giveUp, timeoutMs + (body?.length ?? 0) / bytesPerMs);
    let toEnd: NodeJS.Timeout | undefined;
    try {
      const sent = body && { body: new Uint8Array(body) };
      const response = await client.fetch(url, { method, headers, signal: patience.signal, ...sent });
      toEnd = setTimeout(giveUp, timeoutMs + objectBytesMax / bytesPerMs);
      clearTimeout(toBegin);
      const answer = { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
      if (response.ok || answer.status === 404) return answer;
      throw new StoreError(`${new URL(to).host} answered ${answer.status}: ${codeOf(answer.body.toString())}`);
    } finally {
      clearTimeout(toBegin);
      clearTimeout(toEnd);
    }
  };
  const ask = async (method: string, url: string, body?: Buffer): Promise<Answer> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(method, url, body);
      } catch (error) {
        if (attempt === attempts || (error instanceof StoreError && / 4\d\d: /.test(error.message)))
          throw reachError(to, error);
      }
    }
  };
  const noBucket = (): StoreError => new StoreError(`There is no bucket ${root}.`);
  const urlOf = (name: string): string => `${root}/${encodePath(prefix + name)}`;

  return {
    async list(folder) {
      const names: string[] = [];
      for (let token: string | undefined = ''; token !== undefined; ) {
        const query = new URLSearchParams({ 'list-type': '2', prefix: prefix + folder });
        if (token !== '') query.set('continuation-token', token);
        const response = await ask('GET', `${root}?${query}`);
        if (response.status === 404) throw noBucket();
        const page = readList(response.body.toString());
        names.push(...page.keys.map(key => key.slice(prefix.length)));
        token = page.next;
      }
      return names.sort();
    },
    async get(name) {
      const { status, body } = await ask('GET', urlOf(name));
      if (status !== 404) return body;
      if (/^NoSuchBucket\b/.test(codeOf(body.toString()))) throw noBucket();
      return null;
    },
    async put(name, object) {
      const response = await ask('PUT', urlOf(name), object);
      if (response.status === 404) throw noBucket();
    },
    async remove(name) {
      await ask('DELETE', urlOf(name));
    },
  };
};

/** `root` ends with the bucket; `prefix` is empty or ends with a slash. */
const addressOf = (to: string, region: string): { root: string; prefix: string } => {
  const url = new URL(to);
  const parts = url.pathname.split('/').filter(part => part !== '');
  const [base, name, rest] =
    url.protocol === 's3:'
      ? [`https://s3.${region}.amazonaws.com`, url.host, parts]
      : [url.origin, parts[0] ?? '', parts.slice(1)];
  if (name === '') throw new StoreError(`${to} names no bucket: it must look like https://host/bucket or s3://bucket.`);
  return { root: `${base}/${name}`, prefix: rest.map(part => `${part}/`).join('') };
};

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

const reachError = (to: string, error: unknown): StoreError => {
  if (error instanceof StoreError) return error;
  const { message, cause } = error as Error;
  const why = cause instanceof Error && cause.message !== '' ? cause.message : message;
  return new StoreError(`${new URL(to).host} cannot be reached: ${why}`);
};

/** The part of an error's XML that says what it is. */
const codeOf = (xml: string): string =>
  [/<Code>([^<]*)/.exec(xml)?.[1], /<Message>([^<]*)/.exec(xml)?.[1]].filter(part => part).join(', ') ||
  'no reason given';

const readList = (xml: string): { keys: string[]; next: string | undefined } => ({
  keys: Array.from(xml.matchAll(/<Key>([^<]*)<\/Key>/g), ([, key]) => key!.replaceAll('&amp;', '&')),
  next: /<IsTruncated>true/.test(xml) ? /<NextContinuationToken>([^<]*)/.exec(xml)?.[1] : undefined,
});
