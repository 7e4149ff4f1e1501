/** Requests as anybody could send them, each over a connection from an address of its own choice. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Sent {
  /** 0 when the connection broke or no answer came. */
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Sending {
  url: string;
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** The address that the connection comes from: one of 127.0.0.0/8. A proxy that is trusted by default. */
  from?: string;
  agent?: Agent;
}

const answerMs = 60_000;

/** Never rejects. */
export const send = ({ url, method = 'POST', path, headers, body, from, agent }: Sending): Promise<Sent> =>
  new Promise(resolve => {
    const nothing: Sent = { status: 0, headers: {}, text: '' };
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, method, path, headers, agent, localAddress: from }, response => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', chunk => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.on('error', () => resolve(nothing));
    });
    sent.setTimeout(answerMs, () => sent.destroy());
    sent.on('error', () => resolve(nothing));
    sent.end(body);
  });

/** The only address whose X-Forwarded-For the attacked server believes. */
export const proxyAddress = '127.0.0.1';

/** Connections of a proxy, which keeps them open. */
export const proxyAgent = (sockets: number): Agent => new Agent({ keepAlive: true, maxSockets: sockets });

/** A public address in the network of that number, of up to 65,536. */
export const forwardedFrom = (network: number, host: number): Record<string, string> => ({
  'x-forwarded-for': `45.${(network >> 8) & 255}.${network & 255}.${1 + (host % 254)}`,
});

/** An address of this machine in the network of that number, of up to 16,384, for connections without a proxy. */
export const localFrom = (network: number): string => `127.${64 + ((network >> 8) & 63)}.${network & 255}.1`;

export const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
