/**
 * Packages that come into the bundle, as a piece of their own that is loaded when it is needed, with
 * all that they need themselves.
 */
const loadedLater =
  /^(@modelcontextprotocol\/(server|core)|zod|openid-client|oauth4webapi|jose|@simplewebauthn\/server|@hexagon\/base64|@levischuck\/tiny-cbor|@peculiar\/[\w-]+|@noble\/[\w-]+|asn1js|pvtsutils|pvutils|bytestreamjs|reflect-metadata|tslib|tsyringe)(\/|$)/;
/** Whether the path of a package, as a lock file has it, is of one of them. */
export const isBundled = path => loadedLater.test(`${path.replace(/^.*node_modules\//, '')}/`);

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
