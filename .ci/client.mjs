// Makes the package @daybook/client: its code from client/module.ts, and its operations and types from the API's own description.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

export const typePackages = { 'openapi-typescript': '7.13.0', typescript: '5.9.3' };

/** The description as the server answers it. */
export const describedApi = async () => {
  const { outputFiles } = await build({
    stdin: { contents: "export { openApi } from './src/api/routes.ts';", resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  // Beside node_modules, where what it imports is found.
  const dir = mkdtempSync(join(root, 'node_modules/.daybook-client-'));
  try {
    const file = join(dir, 'routes.mjs');
    writeFileSync(file, outputFiles[0].text);
    return (await import(pathToFileURL(file).href)).openApi;
  } finally {
    rmSync(dir, { recursive: true });
  }
};

const operationsOf = ({ paths }) =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, [method.toUpperCase(), path]]),
    ),
  );

export const bundleClient = async () => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['client/module.ts'],
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    define: { operations: JSON.stringify(operationsOf(await describedApi())) },
    logLevel: 'warning',
  });
  return outputFiles[0].text;
};

export const typesOf = async (description, folder) => {
  const { default: openapiTS, astToString } = createRequire(join(folder, 'package.json'))('openapi-typescript');
  return astToString(await openapiTS(description));
};
