/**
 * What bare `node:http` can do: reads the body of every request and answers 202, nothing else. The
 * measure that collect.ts compares with.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const answer = '{"m":"hash"}';
const headers = ['content-type', 'application/json', 'content-length', String(answer.length)];

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    response.writeHead(202, headers);
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
