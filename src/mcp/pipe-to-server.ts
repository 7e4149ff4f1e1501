/**
 * Brings messages from a pipe to the /mcp of a server and back, for assistants that know no HTTP.
 * Each line is a message, and each request gets a line.
 */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { parseJson } from '../http/body.ts';
import { isRecord } from '../model/record.ts';

export interface BridgeParts {
  /** Of the server, without a slash at its end. */
  url: string;
  key: string;
  stdin: Readable;
  write(line: string): void;
}

interface Message {
  id?: unknown;
  method?: unknown;
  params?: unknown;
}

const versionField = 'io.modelcontextprotocol/protocolVersion';

/** What the protocol wants said in headers too. `agreed` is the version of an earlier handshake. */
const headersOf = ({ method, params }: Message, agreed: string | undefined): Record<string, string> => {
  const { _meta: meta, name, uri } = isRecord(params) ? params : {};
  const version = (isRecord(meta) ? meta[versionField] : undefined) ?? agreed;
  const named = name ?? uri;
  return {
    ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
    ...(typeof method === 'string' && { 'mcp-method': method }),
    ...(typeof named === 'string' && { 'mcp-name': named }),
  };
};

/** The messages of an answer, which may come as events. */
const messagesOf = (type: string, text: string): string[] => {
  if (!type.startsWith('text/event-stream')) return text.trim() === '' ? [] : [text];
  return text.split('\n').flatMap(line => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []));
};

/** Resolves when the pipe has ended and everything is answered. */
export const bridge = async ({ url, key, stdin, write }: BridgeParts): Promise<void> => {
  let agreed: string | undefined;
  const fail = (id: unknown, message: string): void => {
    if (id !== undefined) write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message } }));
  };

  const pass = async (line: string): Promise<void> => {
    const message: unknown = parseJson(Buffer.from(line));
    const { id } = isRecord(message) ? message : { id: null };
    try {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...{ accept: 'application/json, text/event-stream', ...(isRecord(message) && headersOf(message, agreed)) },
        },
        body: line,
      });
      const found = messagesOf(response.headers.get('content-type') ?? '', await response.text());
      for (const text of found) {
        const answer = parseJson(Buffer.from(text));
        // What stands before the protocol answers with an error of its own.
        if (!isRecord(answer) || answer.jsonrpc !== '2.0') fail(id, `${url} answers ${response.status}: ${text}`);
        else write(JSON.stringify(answer));
        const result = isRecord(answer) && isRecord(answer.result) ? answer.result : {};
        if (typeof result.protocolVersion === 'string') agreed = result.protocolVersion;
      }
    } catch (error) {
      fail(id, `${url} cannot be reached: ${(error as Error).message}`);
    }
  };

  const open = new Set<Promise<void>>();
  for await (const line of createInterface({ input: stdin })) {
    if (line.trim() === '') continue;
    const passed = pass(line).finally(() => open.delete(passed));
    open.add(passed);
    // Later messages depend on the version that the handshake agrees on.
    if (line.includes('"initialize"')) await passed;
  }
  await Promise.all(open);
};
