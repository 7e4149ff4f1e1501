/** The real clients of both eras of the protocol, over HTTP. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { key } from '../api/fixture.ts';

export interface ToolListed {
  name: string;
  inputSchema: { required?: string[]; properties?: Record<string, unknown> };
}
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Answered = any;

export interface AnyClient {
  era: string;
  tools(): Promise<ToolListed[]>;
  call(name: string, given?: Record<string, unknown>): Promise<Answered>;
  resources(): Promise<{ uri: string }[]>;
  read(uri: string): Promise<Answered>;
  prompts(): Promise<{ name: string }[]>;
  prompt(name: string, given: Record<string, string>): Promise<Answered>;
  instructions(): string | undefined;
  close(): Promise<void>;
}

const about = { name: 'test', version: '1' };
const requestInit = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const wrapped = (era: string, client: Client): AnyClient => ({
  era,
  tools: async () => (await client.listTools()).tools as ToolListed[],
  call: (name, given = {}) => client.callTool({ name, arguments: given }),
  resources: async () => (await client.listResources()).resources,
  read: uri => client.readResource({ uri }),
  prompts: async () => (await client.listPrompts()).prompts,
  prompt: (name, given) => client.getPrompt({ name, arguments: given }),
  instructions: () => client.getInstructions(),
  close: () => client.close(),
});

export const newClient = async (url: string, token = key): Promise<AnyClient> => {
  const client = new Client(about, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: requestInit(token) }));
  return wrapped('2026', client);
};

export const oldClient = async (url: string, token = key): Promise<AnyClient> => {
  const client = new OldClient(about);
  const transport = new OldTransport(new URL(`${url}/mcp`), { requestInit: requestInit(token) });
  await client.connect(transport as never);
  return wrapped('2025', client as never);
};
