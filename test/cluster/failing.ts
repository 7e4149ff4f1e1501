/** Stands before the servers of a cluster, and lets a statement fail where it comes to the last shard. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Shards } from '../../src/model/shards.ts';

export const startFailing = async (shards: Shards, statement: RegExp) => {
  const servers = shards.map((replicas, shard) =>
    replicas.map(replica =>
      createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const body = Buffer.concat(chunks);
        if (shard === shards.length - 1 && statement.test(body.toString())) {
          response.writeHead(500).end('Code: 1, e.displayText() = DB::Exception: as the test wants it');
          return;
        }
        const answer = await fetch(new URL(request.url!, replica), { method: 'POST', body });
        response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
      }),
    ),
  );
  const addressOf = async (server: ReturnType<typeof createServer>, { pathname }: URL): Promise<string> => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`;
  };
  const addresses = await Promise.all(
    shards.map((replicas, i) => Promise.all(replicas.map((replica, n) => addressOf(servers[i]![n]!, replica)))),
  );
  return {
    address: addresses.map(of => of.join(',')).join(';'),
    async close(): Promise<void> {
      for (const server of servers.flat()) server.closeAllConnections();
      await Promise.all(servers.flat().map(server => new Promise(resolve => server.close(resolve))));
    },
  };
};
