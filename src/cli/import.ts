/** `daybook import`: hits of the past from other products and access logs; listed, taken back. */
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { type Zone, zoneOf } from '../api/request/zone.ts';
import { readSetting } from '../config.ts';
import { always, type Between } from '../import/between.ts';
import { formatNames } from '../import/formats.ts';
import { importFiles } from '../import/import-files.ts';
import {
  type ImportOptions,
  type ImportReport,
  KnownRowsProblem,
  type KnownView,
  type LeftOutDays,
  type ReadProgress,
} from '../import/import-report.ts';
import { openInputs } from '../import/inputs.ts';
import { ImportProblem } from '../import/problem.ts';
import { makeLog } from '../log.ts';
import { type Outcome, outcomes } from '../model/outcomes.ts';
import type { Site } from '../model/site.ts';
import { dayMs } from '../model/time.ts';
import type { WorkDone } from '../model/work-done.ts';
import { daysOfImport, type Import, type ImportTotals, imports } from '../store/imports/imports.ts';
import { undoImport } from '../store/imports/write-import.ts';
import { nodes } from '../store/nodes.ts';
import { runSteps, runStepsAlone } from '../store/run-steps.ts';
import { sites } from '../store/sites.ts';
import { dropStopRequest, isStopRequested, requestStop } from '../store/stop-request.ts';
import { CommandError, command, type Opened, UsageError } from './command.ts';
import { accountFlag, settingFlag, switchFlag, textFlag } from './flags.ts';
import { counted, formatCount, formatTime, isoTime, type ListingColumns, listing, table } from './format.ts';
import { isServed, progressOf, runDays, withImportsLocked } from './long-work.ts';
import { accountIdOf, siteWithHits, siteWithId } from './lookup.ts';
import { dayOf, oneOf } from './typed.ts';

const formatOf = oneOf(
  formatNames,
  typed => `There is no format ${typed}: it is ${formatNames.join(', ').replace(/, ([^,]*)$/, ' or $1')}.`,
);

/** `--from` took a format once: no format looks like a day. */
const dayOrFormat = (typed: string): { day: string } | { format: string } =>
  /^\d/.test(typed) ? { day: dayOf('--from')(typed) } : { format: formatOf(typed) };

interface Chosen {
  format: string | undefined;
  between: ImportOptions['between'];
  known: 'leave-out' | 'import' | undefined;
}

interface ChoiceFlags {
  format: string | undefined;
  from: ReturnType<typeof dayOrFormat> | undefined;
  to: string | undefined;
  'new-only': boolean;
  all: boolean;
}

/** Days are those of the site's zone. */
const chosen = (flags: ChoiceFlags, { timezone }: Site): Chosen => {
  const { from, to, all } = flags;
  const day = from !== undefined && 'day' in from ? from.day : undefined;
  if (day !== undefined && to !== undefined && day > to) throw new UsageError('--from is a later day than --to.');
  if (flags['new-only'] && all) throw new UsageError('Use --new-only or --all, not both.');
  return {
    format: flags.format ?? (from !== undefined && 'format' in from ? from.format : undefined),
    between: day === undefined && to === undefined ? undefined : daysBetween(zoneOf(timezone), day, to),
    known: flags['new-only'] ? 'leave-out' : all ? 'import' : undefined,
  };
};

const daysBetween = (zone: Zone, from: string | undefined, to: string | undefined): Between => ({
  from: from === undefined ? always.from : zone.instant(Date.parse(from)),
  to: to === undefined ? always.to : zone.instant(Date.parse(to) + dayMs),
});

const importHits = command({
  name: 'import',
  operands: { 'FILE…': String },
  flags: {
    site: { kind: 'text', value: 'DOMAIN', required: true, meaning: 'The site the hits belong to' },
    format: textFlag('FORMAT', `${formatNames.join(', ')} (default: what the files look like)`, formatOf),
    from: textFlag('DATE', 'First day of what is imported, in the site’s time zone', dayOrFormat),
    to: textFlag('DATE', 'Last day', dayOf('--to')),
    'new-only': switchFlag('Leave out rows that are here already'),
    all: switchFlag('Import all rows, also those that are here already'),
    'dry-run': switchFlag('Read and count everything, and change nothing'),
    'geo-db': settingFlag('geoDb'),
    'geo-asn-db': settingFlag('geoAsnDb'),
    ...accountFlag,
  },
  summary: 'Import hits of the past from files, or from - for stdin',
  details: `docs/moving.md says what other products export and how. ndjson has a line of {"at":"2026-10-01T12:00:00.000Z",
"ip":"203.0.113.9","ua":"…","hit":{…}} for each hit. combined is the access log of Apache and nginx: page views become hits, and
requests of named crawlers go to the crawlers view. Files may be packed with zip or gzip. Lines may come in any order.

Nothing changes until all is read, and then all is there at once. The same file is imported once. What was interrupted goes on
when the same command is run again. It may run beside a server.

Rows that are here already would count twice: those of an import before, and those of a time that the site collected itself. A
terminal is asked whether to leave them out; elsewhere nothing is imported, unless --new-only or --all says what to do.`,
  database: 'change',
  run: (context, { operands, flags }) =>
    orCommandError(async () => {
      const site = siteWithHits(context.db, flags.site, flags.account);
      const isOfCluster = readSetting('clickhouse', context.env, {}) !== null && nodes(context.db).any();
      if (isOfCluster && !flags['dry-run']) context.stderr.write(broughtToCluster);
      const report = await importOrAsk(context, operands['FILE…'], {
        site,
        ...chosen(flags, site),
        dryRun: flags['dry-run'],
        geo: {
          geoDb: readSetting('geoDb', context.env, flags),
          geoAsnDb: readSetting('geoAsnDb', context.env, flags),
        },
      });
      return { json: { site: site.domain, ...report }, text: reportText(report, flags['dry-run']) };
    }),
});

const broughtToCluster = `CLICKHOUSE is set: the server brings there what is imported here. What collectors took is there already, and would count twice.
Import a file of daybook export --of collectors once the server runs without CLICKHOUSE.
`;

const importList = command({
  name: 'import list',
  flags: { site: textFlag('DOMAIN', 'Only imports into this site'), ...accountFlag },
  summary: 'List imports, with what they counted',
  run: ({ db }, { flags }) => {
    const accountId = accountIdOf(db, flags.account);
    const wanted = flags.site === undefined ? sites(db).list(accountId) : [siteWithHits(db, flags.site, flags.account)];
    const domains = new Map(wanted.map(({ id, domain }) => [id, domain]));
    const rows = imports(db)
      .list()
      .filter(({ siteId }) => domains.has(siteId));
    const views = rows.map(row => viewOf(row, domains.get(row.siteId)!));
    const shown = listing(views, columns, 'There are no imports.');
    return { ...shown, json: views };
  },
});

const importUndo = command({
  name: 'import undo',
  operands: { ID: (typed: string) => idOf(typed) },
  summary: 'Take an import back as a whole',
  details: `All that the import brought is gone at once: its hits, and what it counted. What was collected, and what other imports
brought, stays. If the command is interrupted, run it again: it goes on. It may run beside a server.`,
  database: 'change',
  run: (context, { operands: { ID } }) =>
    withImportsLocked(context.dataDir, async () => {
      const { db } = context;
      const of = imports(db).byId(ID);
      await runDays(context, undoImport(db, of), 'taken back', 'run the same command again to go on.');
      const site = siteWithId(db, of.siteId)?.domain ?? null;
      return { json: { id: ID, site }, text: `Took import ${ID} back (${of.source}).` };
    }),
});

const importStop = command({
  name: 'import stop',
  flags: { site: { kind: 'text', value: 'DOMAIN', required: true, meaning: 'The site' }, ...accountFlag },
  summary: 'Stop what a server does with the hits of a site',
  details: `It ends an import that was begun in the dashboard, or a removal, or the undoing of one, whoever began it. An import
leaves nothing then.`,
  database: 'change',
  run: async ({ db, dataDir, signal }, { flags }) => {
    const { id, domain } = siteWithHits(db, flags.site, flags.account);
    requestStop(dataDir, id);
    try {
      for (let looks = 0; looks < stopLooks && !signal.aborted; looks++) {
        await wait(stopLookMs);
        if (!isStopRequested(dataDir, id)) return { json: { site: domain }, text: `The work on ${domain} stops.` };
      }
    } finally {
      dropStopRequest(dataDir, id);
    }
    throw new CommandError(`No server works on the hits of ${domain}.`);
  },
});

/** A server looks twice a second. */
const [stopLooks, stopLookMs] = [50, 100];

export const importCommands = [importHits, importList, importUndo, importStop] as const;

const idOf = (typed: string): number => {
  if (/^[1-9]\d{0,9}$/.test(typed)) return Number(typed);
  throw new UsageError(`${JSON.stringify(typed)} is no number of an import: daybook import list shows them.`);
};

const orCommandError = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ImportProblem) throw new CommandError(`${error.message} Nothing is imported.`);
    throw error;
  }
};

type ImportFlags = Pick<ImportOptions, 'site' | 'dryRun' | 'geo'> & Chosen;

/** On a terminal one may say later that known rows are left out; then all is read again. */
const importOrAsk = async (context: Opened, files: string[], asked: ImportFlags): Promise<ImportReport> => {
  try {
    return await importInto(context, files, asked);
  } catch (error) {
    if (!(error instanceof KnownRowsProblem)) throw error;
    const isAsked = context.isTerminal.stdin && context.isTerminal.stderr && !files.includes('-');
    if (isAsked && (await isYes(context, `${error.message} Import the other rows? [y/N] `)))
      return importInto(context, files, { ...asked, known: 'leave-out' });
    throw new CommandError(
      `${error.message} Nothing is imported. --new-only imports the other rows, --from and --to the days that they name, and --all all rows.`,
    );
  }
};

const isYes = async ({ stderr, stdin, signal }: Opened, question: string): Promise<boolean> => {
  stderr.write(question);
  const answers = createInterface({ input: stdin, signal });
  try {
    for await (const answer of answers) return /^y(es)?$/i.test(answer.trim());
    return false;
  } finally {
    answers.close();
  }
};

const importInto = (context: Opened, files: string[], asked: ImportFlags): Promise<ImportReport> =>
  withImportsLocked(context.dataDir, async () => {
    const { db, dataDir, now, random, stderr, stdin, signal } = context;
    const inputs = await openInputs({ files, stdin, dataDir, signal });
    const progress = progressOf(context);
    try {
      return await importFiles({
        ...{ db, inputs, now, random, log: makeLog(stderr, now) },
        ...asked,
        check: state => {
          if (signal.aborted) throw new CommandError('Interrupted. Nothing is imported.');
          progress.show(workDone(state));
        },
        runSteps: isServed(dataDir) ? runSteps : runStepsAlone(db),
      });
    } finally {
      progress.end();
      inputs.close();
    }
  });

const workDone = ({ lines, part, days }: ReadProgress): WorkDone =>
  days === null
    ? { unit: 'line', verb: 'read', count: lines, part }
    : { unit: 'day', verb: 'written', count: days.done, of: days.of };

const reportText = (report: ImportReport, dryRun: boolean): string => {
  const { lines, days, source, counted: own, difference, ignored } = report;
  const rows = (Object.entries(report.outcomes) as [Outcome, number][]).sort((a, b) => b[1] - a[1]);
  const text = table(
    ['OUTCOME', 'LINES', 'MEANING'],
    rows.map(([outcome, hits]) => [outcome, hits, outcomes[outcome].meaning]),
  );
  const span = days.length === 0 ? '' : `, ${counted(days.length, 'day')} from ${days[0]} to ${days.at(-1)}`;
  const totals = days.length === 0 ? [] : [totalsTable(source, own), ...(difference === null ? [] : [difference])];
  const done = `Read ${formatCount(lines)} ${lines === 1 ? 'line' : 'lines'}${span}.${endOf(report, dryRun)}`;
  const left = [
    ...(ignored.length === 0 ? [] : [`Left out: ${ignored.join(', ')}.`]),
    ...report.known.map(knownText),
    ...(report.leftOut === undefined ? [] : leftOutTexts(report.leftOut)),
  ];
  return [...(rows.length === 0 ? [] : [text]), ...totals, ...left, done].join('\n\n');
};

const leftOutTexts = ({ own, imported, notOver }: LeftOutDays): string[] => [
  ...(own === 0 ? [] : [`Left out ${counted(own, 'day')}: they are not before the site’s own first hit.`]),
  ...(imported === 0 ? [] : [`Left out ${counted(imported, 'day')}: another import brought sums of them.`]),
  ...(notOver === 0 ? [] : [`Left out ${counted(notOver, 'day')}: they are not over yet.`]),
];

const knownText = ({ import: id, rows, first, last }: KnownView): string => {
  const by = id === null ? 'the site collected hits itself then' : `import ${id} brought them`;
  return `Left out ${counted(rows, 'row')} from ${first} to ${last}: ${by}.`;
};

const endOf = ({ id, lines, leftOut }: ImportReport, dryRun: boolean): string => {
  if (lines === 0) return ' There is nothing to import.';
  if (dryRun) return ' Nothing is imported: this was a dry run.';
  if (id === null && leftOut === undefined) return ' Nothing is imported: all of it is here already.';
  return id === null ? '' : ` To take it back: daybook import undo ${id}`;
};

const totalNames = ['visitors', 'visits', 'pageviews', 'events'] as const;

const totalsTable = (source: ImportTotals, own: ImportTotals): string =>
  table(
    ['TOTAL', 'SOURCE', 'DAYBOOK'],
    totalNames.map(name => [name, source[name], own[name]]),
  );

/** An import as it is listed. */
const viewOf = (row: Import, site: string) => {
  const { id, kind, format, source, lines, createdAt, finishedAt } = row;
  const days = daysOfImport(row);
  return {
    ...{
      id,
      site,
      kind,
      format,
      file: source,
      days,
      lines,
      outcomes: row.outcomes,
      source: row.totals,
      counted: row.counted,
    },
    createdAt: isoTime(createdAt),
    finishedAt: isoTime(finishedAt),
  };
};
type View = ReturnType<typeof viewOf>;

const columns: ListingColumns<View> = {
  ID: 'id',
  SITE: 'site',
  FORMAT: 'format',
  FILE: 'file',
  FIRST: ({ days }) => days?.first ?? null,
  LAST: ({ days }) => days?.last ?? null,
  LINES: 'lines',
  VISITORS: ({ counted: own }) => own.visitors,
  VISITS: ({ counted: own }) => own.visits,
  PAGEVIEWS: ({ counted: own }) => own.pageviews,
  EVENTS: ({ counted: own }) => own.events,
  FINISHED: ({ finishedAt }) => formatTime(finishedAt) ?? 'interrupted',
};
