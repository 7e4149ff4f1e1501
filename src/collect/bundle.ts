/**
 * Serves the tracker. The first request for an encoding compresses it, because that takes 20 ms,
 * which no start should wait for.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { acceptsEncoding } from '../model/headers.ts';
import { corsHeaders, type PreparedReply, prepared } from './replies.ts';

type Encoding = 'br' | 'gzip' | 'identity';

interface Variant {
  etag: string;
  found: PreparedReply;
  unchanged: PreparedReply;
}

/**
 * The reply to a request with these headers. Each encoding has other bytes, and so an ETag of its
 * own.
 */
export const bundleReplies = (bundle: Buffer): ((headers: IncomingHttpHeaders) => PreparedReply) => {
  const digest = createHash('sha256').update(bundle).digest('hex').slice(0, 16);
  const variantOf = (encoding: Encoding, bytes: Buffer): Variant => {
    const etag = encoding === 'identity' ? `"${digest}"` : `"${digest}-${encoding}"`;
    const headers = [
      ...['cache-control', 'public, max-age=3600, stale-while-revalidate=86400'],
      ...['etag', etag],
      ...['vary', 'accept-encoding'],
      // Lets pages load it that are isolated from other origins.
      ...['cross-origin-resource-policy', 'cross-origin'],
    ];
    const type = 'text/javascript; charset=utf-8';
    const encoded = encoding === 'identity' ? [] : ['content-encoding', encoding];
    return {
      etag,
      found: prepared(200, type, bytes, ...headers, ...encoded),
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

/** The smallest encoding that the client accepts. */
const preferredEncoding = (accepted: string | undefined): Encoding =>
  (['br', 'gzip'] as const).find(encoding => acceptsEncoding(accepted, encoding)) ?? 'identity';

/** A cache may have weakened the tag on its way. The bytes are still the same. */
const matches = (ifNoneMatch: string | undefined = '', etag: string): boolean =>
  ifNoneMatch.split(',').some(entry => entry.trim() === '*' || entry.trim().replace(/^W\//, '') === etag);
