import { fileURLToPath } from 'node:url';

/** Packages that come into the bundle, as a piece of their own that is loaded when it is needed. */
export const bundled = {
  name: 'bundled',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^(@modelcontextprotocol\/(server|core)|zod)(\/|$)/ }, ({ path, importer }) => ({
      path: fileURLToPath(import.meta.resolve(path, importer)),
    })),
};

/** What is bundled: the program, and the worker threads that it starts by these names. */
export const programs = {
  daybook: 'src/main.ts',
  'query-worker': 'src/query/threads/worker.ts',
  'work-worker': 'src/dashboard/work-worker.ts',
  'import-worker': 'src/import/import-worker.ts',
  'forward-worker': 'src/cluster/forward-worker.ts',
  'copy-worker': 'src/store/copies/copy-worker.ts',
  'maintenance-worker': 'src/store/maintenance/maintenance-worker.ts',
};
