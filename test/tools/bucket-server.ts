/**
 * A server that speaks as much of S3 as copies need, and refuses what Amazon's refuses: a signature that is not that of the
 * request, a body with another digest than the header says, and any name outside the bucket.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';

export const access = { accessKeyId: 'TESTKEY', secretAccessKey: 'not so secret', region: 'us-east-1' };
const keysPerPage = 3;
const slowMs = 3000;

/**
 * - `slow` answers after seconds. `cuts` connections in the middle. `full` refuses. `lies`: says that it has stored packs, and has not.
 *   `spoils`: stores packs with a wrong byte. `holds`: never answers who reads a pack.
 */
export type Mood = 'well' | 'slow' | 'cuts' | 'full' | 'lies' | 'spoils' | 'holds';

export interface BucketServer {
  /** Address of the bucket. */
  url: string;
  objects: Map<string, Buffer>;
  /** Status that the next requests get, one each. */
  failures: number[];
  /** What becomes of writing from now on. */
  mood: Mood;
  close(): Promise<void>;
}

export const startBucketServer = async (): Promise<BucketServer> => {
  const objects = new Map<string, Buffer>();
  const failures: number[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const answer = (status: number, text: string | Buffer = ''): void => {
      response.writeHead(status).end(text);
    };
    const url = new URL(request.url!, `http://${request.headers.host}`);
    const failure = failures.shift();
    if (failure !== undefined) return answer(failure, '<Error><Code>SlowDown</Code><Message>Later.</Message></Error>');
    const digest = createHash('sha256').update(body).digest('hex');
    if (request.headers['x-amz-content-sha256'] !== digest)
      return answer(400, '<Error><Code>XAmzContentSHA256Mismatch</Code></Error>');
    const signer = new AwsV4Signer({
      ...access,
      service: 's3',
      url: url.href,
      method: request.method!,
      headers: { 'x-amz-content-sha256': digest },
      datetime: String(request.headers['x-amz-date']),
    });
    const { headers } = await signer.sign();
    if (headers.get('authorization') !== request.headers.authorization)
      return answer(403, '<Error><Code>SignatureDoesNotMatch</Code></Error>');
    const [, bucket, ...rest] = url.pathname.split('/');
    const key = decodeURIComponent(rest.join('/'));
    if (bucket !== 'bucket') return answer(404, '<Error><Code>NoSuchBucket</Code></Error>');
    if (key === '') return answer(200, list(objects, url.searchParams));
    if (request.method === 'PUT') {
      if (bucketServer.mood === 'slow') await wait(slowMs);
      if (bucketServer.mood === 'cuts') return void request.socket.destroy();
      if (bucketServer.mood === 'full') return answer(507, '<Error><Code>InsufficientStorage</Code></Error>');
      if (bucketServer.mood === 'lies' && isPack(key)) return answer(200);
      objects.set(key, bucketServer.mood === 'spoils' && isPack(key) ? spoiled(body) : body);
    }
    if (request.method === 'DELETE') objects.delete(key);
    if (bucketServer.mood === 'holds' && isPack(key) && request.method === 'GET') return;
    const object = objects.get(key);
    if (request.method !== 'GET') return answer(request.method === 'PUT' ? 200 : 204);
    return object === undefined ? answer(404, '<Error><Code>NoSuchKey</Code></Error>') : answer(200, object);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bucketServer: BucketServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket`,
    objects,
    failures,
    mood: 'well',
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return bucketServer;
};

const isPack = (key: string): boolean => key.includes('packs/');
const spoiled = (body: Buffer): Buffer => {
  const bytes = Buffer.from(body);
  bytes[bytes.length >> 1]! ^= 4;
  return bytes;
};

const list = (objects: ReadonlyMap<string, Buffer>, query: URLSearchParams): string => {
  const from = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].filter(key => key.startsWith(query.get('prefix')!) && key > from).sort();
  const page = keys.slice(0, keysPerPage);
  const more = keys.length > keysPerPage;
  const contents = page.map(key => `<Contents><Key>${key}</Key></Contents>`).join('');
  const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return `<ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${contents}</ListBucketResult>`;
};
