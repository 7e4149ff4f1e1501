/** Imports files into a site, lists its imports, and takes them back. */

import { asTyped, field, isOn, optional, optionalList } from '../api/changes/fields.ts';
import { HttpError } from '../http/errors.ts';
import { formatNames, formats } from '../import/formats.ts';
import { isoTime } from '../model/time.ts';
import { ValueError } from '../model/values.ts';
import { daysOfImport, type Import } from '../store/imports/imports.ts';
import { type OnSite, siteWithHits } from './allow.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, get, ok, post, postBytes } from './route.ts';
import type { WorkState } from './site-work.ts';
import type { Upload } from './uploads.ts';
import type { ImportList, ImportView, UploadView } from './wire.ts';
import type { Work } from './work.ts';

/** Of a piece of a file: with a slow line it comes in time. */
const pieceBytesMax = 1024 * 1024;
const nameCharsMax = 200;

export const importRoutes = (parts: AppParts): DashboardRoute[] => {
  const { imports, work, uploads } = parts;
  const siteOf = (on: OnSite): number => siteWithHits(on).id;
  const listOf = (siteId: number) =>
    ok<ImportList>({
      ...listView(imports.ofSite(siteId), work.stateOf(siteId)),
      formats: formats.map(({ name, title, kind }) => ({ name, title, kind })),
      uploadBytesMax: uploads.bytesMax,
    });

  return [
    get('/app/sites/:site/imports', 'import', (_, login) => listOf(siteOf(login))),

    post('/app/sites/:site/uploads', 'import', (call, login) => {
      const name = field(call.body, 'name', asTyped).slice(-nameCharsMax);
      const size = field(call.body, 'size', asSize);
      const accountId = login.account.id;
      return ok<UploadView>(uploadView(uploads.begin({ accountId, siteId: siteOf(login), name, size })));
    }),

    postBytes('/app/sites/:site/uploads/:upload/:at', 'import', pieceBytesMax, async (call, login) => {
      const { upload = '', at = '' } = call.parameters;
      if (!/^\d{1,15}$/.test(at)) throw new HttpError('app-not-found');
      return ok<UploadView>(uploadView(await uploads.add(siteOf(login), upload, Number(at), call.bytes)));
    }),

    post('/app/sites/:site/imports', 'import', (call, login) => {
      const siteId = siteOf(login);
      const format = field(call.body, 'format', asFormat);
      const { known = null } = optional(call.body, 'known', asKnown);
      const dryRun = isOn(call.body, 'dryRun');
      const ids = [...new Set(optionalList(call.body, 'uploads', list => list).uploads)];
      const files = uploads.whole(siteId, ids).map(({ path, name }) => ({ path, name }));
      let release = (): void => {};
      const onEnd = ({ report }: WorkState): void => {
        release();
        // What was only tried, or failed, is perhaps imported next.
        if (report !== null && !dryRun) uploads.drop(ids);
      };
      const what: Work = { kind: 'import', files, format, known, dryRun };
      if (!work.start({ siteId, accountId: login.account.id }, what, onEnd)) throw new HttpError('app-removing');
      release = uploads.keep(ids);
      return listOf(siteId);
    }),

    post('/app/sites/:site/imports/stop', 'import', (_, login) => {
      const siteId = siteOf(login);
      if (work.stateOf(siteId)?.work.kind === 'import') work.stop(siteId);
      return listOf(siteId);
    }),

    post('/app/sites/:site/imports/:import/undo', 'import', (call, login) => {
      const siteId = siteOf(login);
      const found = imports.ofSite(siteId).find(({ id }) => String(id) === call.parameters.import);
      if (found === undefined) throw new HttpError('app-no-import');
      if (!work.start({ siteId, accountId: login.account.id }, { kind: 'undo-import', importId: found.id }))
        throw new HttpError('app-removing');
      return listOf(siteId);
    }),
  ];
};

const asSize = (typed: string): number => {
  if (/^\d{1,15}$/.test(typed)) return Number(typed);
  throw new ValueError('This is no number of bytes.');
};

/** Empty for what the files tell. */
const asFormat = (typed: string): string | null => {
  if (typed === '' || formatNames.includes(typed)) return typed === '' ? null : typed;
  throw new ValueError(`There is no format ${typed}.`);
};

/** Empty where rows that are here already end the import. */
const asKnown = (typed: string): 'leave-out' | 'import' | null => {
  if (typed === 'leave-out' || typed === 'import') return typed;
  if (typed === '') return null;
  throw new ValueError('Rows that are here already can be left out or imported.');
};

const uploadView = ({ id, received }: Upload): UploadView => ({ id, received });

const listView = (
  all: readonly Import[],
  state: WorkState | undefined,
): Pick<ImportList, 'data' | 'running' | 'failure' | 'report'> => {
  const data = all.map(viewOf);
  if (state === undefined || (state.work.kind !== 'import' && state.work.kind !== 'undo-import'))
    return { data, running: null, failure: null, report: null };
  const { work, isRunning, isWaiting, progress, failure, report } = state;
  const { done, of, hits: lines, part } = progress;
  const kind = work.kind === 'undo-import' ? 'undo' : work.dryRun ? 'try' : 'import';
  return { data, running: isRunning ? { kind, isWaiting, done, of, lines, part } : null, failure, report };
};

const viewOf = ({ id, source, format, lines, totals, counted, ...of }: Import): ImportView => ({
  ...{ id, format, lines, counted },
  file: source,
  days: daysOfImport(of),
  source: totals,
  createdAt: isoTime(of.createdAt),
  isFinished: of.finishedAt !== null,
});
