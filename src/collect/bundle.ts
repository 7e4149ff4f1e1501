/** Serves the tracker, compressed when it is first asked for: that takes 20 ms, which no start should wait for. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { acceptsEncoding } from '../model/headers.ts';
import { type Answer, answerOf, corsHeaders } from './answer.ts';

type Encoding = 'br' | 'gzip' | 'identity';

interface Variant {
  etag: string;
  found: Answer;
  unchanged: Answer;
}

/** The answer to a request with these headers. Each encoding has an ETag of its own, as it has bytes of its own. */
export const bundleAnswers = (bundle: Buffer): ((headers: IncomingHttpHeaders) => Answer) => {
  const digest = createHash('sha256').update(bundle).digest('hex').slice(0, 16);
  const variantOf = (encoding: Encoding, bytes: Buffer): Variant => {
    const etag = encoding === 'identity' ? `"${digest}"` : `"${digest}-${encoding}"`;
    const headers = [
      ...['cache-control', 'public, max-age=3600, stale-while-revalidate=86400'],
      ...['etag', etag],
      ...['vary', 'accept-encoding'],
      // Pages that are isolated from other origins may load it all the same.
      ...['cross-origin-resource-policy', 'cross-origin'],
    ];
    const type = 'text/javascript; charset=utf-8';
    const encoded = encoding === 'identity' ? [] : ['content-encoding', encoding];
    return {
      etag,
      found: answerOf(200, type, bytes, ...headers, ...encoded),
      unchanged: { status: 304, headers: [...corsHeaders, ...headers], body: '' },
    };
  };
  const variants: Partial<Record<Encoding, Variant>> = {};
  return headers => {
    const encoding = preferredEncoding(headers['accept-encoding']);
    variants[encoding] ??= variantOf(encoding, encode[encoding](bundle));
    const variant = variants[encoding];
    return matches(headers['if-none-match'], variant.etag) ? variant.unchanged : variant.found;
  };
};

const encode: Record<Encoding, (bytes: Buffer) => Buffer> = {
  br: bytes => brotliCompressSync(bytes),
  gzip: bytes => gzipSync(bytes, { level: 9 }),
  identity: bytes => bytes,
};

/** The smallest encoding that the client takes. */
const preferredEncoding = (accepted: string | undefined): Encoding =>
  (['br', 'gzip'] as const).find(encoding => acceptsEncoding(accepted, encoding)) ?? 'identity';

/** Caches may have weakened a tag on its way; that says nothing against the bytes being the same. */
const matches = (ifNoneMatch: string | undefined = '', etag: string): boolean =>
  ifNoneMatch.split(',').some(entry => entry.trim() === '*' || entry.trim().replace(/^W\//, '') === etag);
