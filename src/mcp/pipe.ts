/** The protocol on a pipe: whoever starts the program may read what it reads. */
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { HttpError } from '../http/errors.ts';
import { serverFor } from './protocol.ts';
import type { Assistant } from './tool.ts';

export interface PipeParts {
  assistant(): Assistant;
  httpErrorOf: (error: unknown) => HttpError;
  stdin: Readable;
  stdout: Writable;
  /** Ends it. */
  signal: AbortSignal;
}

/** Resolves when the pipe has ended. */
export const servePipe = async ({ assistant, httpErrorOf, stdin, stdout, signal }: PipeParts): Promise<void> => {
  const ended = new Promise<void>(resolve => {
    stdin.once('close', resolve).once('end', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const transport = new StdioServerTransport(stdin, stdout);
  const handle = serveStdio(() => serverFor({ assistant: assistant(), httpErrorOf }), {
    transport,
    maxSubscriptions: 0,
  });
  await ended;
  await handle.close();
};
