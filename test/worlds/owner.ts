/** The owner of a random world's sites, who does in the dashboard what commands do: the requests that its page sends. */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { signInLinks } from '../../src/store/accounts/sign-in-links.ts';
import { openDatabase } from '../../src/store/database.ts';
import { must, until } from '../tools/conditions.ts';

export interface Answered {
  status: number;
  body: string;
  headers: Record<string, string | string[] | undefined>;
}

/** Each request has a connection of its own: the server may just be closing one that was idle. */
export const send = (url: string, headers: Record<string, string>, body?: string | Buffer): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(url, { method, headers, agent: false }, async response => {
      response.on('error', reject);
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode!, body: Buffer.concat(chunks).toString(), headers: response.headers });
    });
    sent.on('error', reject);
    sent.end(body);
  });

/** What an import, or another work of a site, came to. */
export interface Work {
  failure: string | null;
  report: Imported | null;
}

/** As the command says it in JSON, too. */
export interface Imported {
  id: number | null;
  /** Null where a server that was killed since has told them. */
  outcomes: Record<string, number> | null;
  days: string[];
}

interface Where {
  url: string;
  dataDir: string;
  now: number;
}

export interface Owner {
  /** Asks what JSON answers; throws unless the status is 200. */
  post(path: string, body: unknown): Promise<ReturnType<typeof JSON.parse>>;
  get(path: string): Promise<ReturnType<typeof JSON.parse>>;
  /** Sends a file; resolves to the name that an import calls it by. */
  upload(site: string, name: string, content: Buffer): Promise<string>;
  /** Waits until nothing is under way. `imports` is the path of a site's list. */
  settled(imports: string): Promise<Work>;
}

/** `where` tells of the server as it is now. */
export const createOwner = (where: () => Where): Owner => {
  let cookie = '';

  /** A one-time link gives a password and a cookie, whatever became of those before. */
  const enter = async (): Promise<void> => {
    const { url, dataDir, now } = where();
    const token = randomBytes(24).toString('base64url');
    const db = openDatabase(dataDir);
    signInLinks(db).putForAccount(accounts(db).named('default', 0).id, token, now);
    db.close();
    const body = JSON.stringify({ token, email: 'ada@example.com', password: 'a long and unusual sentence' });
    const used = await send(`${url}/app/link/use`, { 'content-type': 'application/json', origin: url }, body);
    must(used.status === 200, `The link gave nothing: ${used.status} ${used.body}`);
    cookie = [used.headers['set-cookie'] ?? []]
      .flat()
      .map(line => line.split(';')[0])
      .join('; ');
  };

  const asked = async (path: string, type: string, body?: string | Buffer): Promise<ReturnType<typeof JSON.parse>> => {
    const { url } = where();
    const ask = () => send(url + path, { 'content-type': type, origin: url, cookie }, body);
    let got = await ask();
    if (got.status === 401) {
      await enter();
      got = await ask();
    }
    must(got.status === 200, `${path}: ${got.status} ${got.body}`);
    return JSON.parse(got.body);
  };

  const owner: Owner = {
    post: (path, body) => asked(path, 'application/json', JSON.stringify(body)),
    get: path => asked(path, 'application/json'),
    async upload(site, name, content) {
      const { id } = await owner.post(`${site}/uploads`, { name, size: String(content.length) });
      await asked(`${site}/uploads/${id}/0`, 'application/octet-stream', content);
      return id;
    },
    async settled(imports) {
      let list = await owner.get(imports);
      await until('work on a site', async () => {
        list = await owner.get(imports);
        return list.running === null;
      });
      return { failure: list.failure, report: list.report };
    },
  };
  return owner;
};
