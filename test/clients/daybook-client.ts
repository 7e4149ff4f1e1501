/**
 * `@daybook/client` and a client that is made from the API's description, with their types: what
 * makes those needs another TypeScript than this project's.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describedApi, typePackages, typesOf } from '../../.ci/client.mjs';
import { packageRoot } from '../../src/package-root.ts';
import type { Client } from './clients.ts';

interface Described {
  operationId: string;
  parameters: { $ref?: string; name?: string; required?: boolean }[];
  requestBody?: { content: Readonly<Record<string, unknown>> };
}

const needed: Readonly<Record<string, string>> = {
  visitor: "visitor: 'x'",
  hits: "visit: 'x'",
  funnel: "funnel: 'x'",
  answers: "ask: ['stats']",
  removeSite: "confirm: 'x'",
};

/** Every operation with all kinds of filters that it takes, by both clients. */
const usage = (paths: Readonly<Record<string, Readonly<Record<string, Described>>>>): string => {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters, requestBody }]) => {
      const takes = (name: string): boolean => parameters.some(({ $ref }) => $ref?.endsWith(`/${name}`));
      const query = [
        ...(takes('filter') ? ["filter: ['path^=/blog', 'path!=/x'], range: '7d'"] : []),
        ...(takes('country') ? ["country: ['DE', 'FR'], device: 'mobile'"] : []),
        ...(needed[operationId] === undefined ? [] : [needed[operationId]]),
      ].join(', ');
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
      const place = named.length === 0 ? '' : `path: { ${named.map(name => `${name}: 'x'`).join(', ')} },`;
      const own = [
        ...named.map(() => "'x'"),
        ...(requestBody !== undefined && 'application/json' in requestBody.content ? ['anything'] : []),
        ...(query === '' ? [] : [`{ ${query} }`]),
      ];
      const body = requestBody === undefined ? '' : 'body: anything,';
      const shown = query === '' ? '' : `query: { ${query} }`;
      return `  {
    const { data, error } = await made.${method.toUpperCase()}('${path}', { params: { ${place} ${shown} }, ${body} });
${operationId === 'describe' ? '    known(data);' : '    if (error !== undefined) told(error.error);\n    else known(data);'}
    known(await daybook.${operationId}(${own.join(', ')}));
  }`;
    }),
  );
  return `import createFetchClient from 'openapi-fetch';
import type { paths } from './api.js';
import { createClient, DaybookError, type Schemas, settled } from './index.js';

const made = createFetchClient<paths>({ baseUrl: 'http://localhost' });
const daybook = createClient({ url: 'http://localhost', key: 'x' });
const told = (text: string): void => void text;
type Known<T> = unknown extends T ? never : T;
const known = <T>(value: Known<T>): void => void value;
const anything = {} as never;

export const calls = async (): Promise<void> => {
${calls.join('\n')}
};

export const types = async (): Promise<void> => {
  const visitors: number | null = (await daybook.stats('x')).visitors;
  const note: Schemas['Note'] = await daybook.addNote('x', { date: '2026-11-20', text: String(visitors) });
  for await (const { name, pageviews } of daybook.each('table', 'x', { dimension: 'path' })) told(name + pageviews + note.kind);
  const { data, error } = await settled(daybook.stats('x'));
  if (error !== undefined) told(error.error + error.allowed?.join() + (error instanceof DaybookError));
  else told(data.currency);
  // @ts-expect-error: no such parameter
  await daybook.stats('x', { contry: 'DE' });
  // @ts-expect-error: no such range
  await daybook.stats('x', { range: '8d' });
  // @ts-expect-error: a visit has to be named
  await daybook.hits('x');
  // @ts-expect-error: no such field of the answer
  told((await daybook.stats('x')).visitor);
};
`;
};

export const daybookClient: Client = {
  name: '@daybook/client',
  packages: { ...typePackages, 'openapi-fetch': '0.17.0' },
  async run({ folder }) {
    const dir = join(folder, 'daybook');
    mkdirSync(dir, { recursive: true });
    const description = (await describedApi()) as { paths: Parameters<typeof usage>[0] };
    writeFileSync(join(dir, 'api.d.ts'), await typesOf(description, folder));
    copyFileSync(join(packageRoot, 'client/index.d.ts'), join(dir, 'index.d.ts'));
    writeFileSync(join(dir, 'usage.ts'), usage(description.paths));
    const compilerOptions = {
      ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
      ...{
        noEmit: true,
        target: 'es2023',
        module: 'nodenext',
        moduleResolution: 'nodenext',
        types: [],
        lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
      },
    };
    writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['usage.ts'] }));
    execFileSync(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), '-p', dir], { stdio: 'inherit' });
  },
};
