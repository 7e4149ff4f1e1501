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
