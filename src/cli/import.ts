/** `daybook import`: old hits and access logs. */
import { readSetting } from '../config.ts';
import { type Outcome, outcomes } from '../model/outcomes.ts';
import type { Site } from '../model/site.ts';
import { utcDayName, utcDayOf } from '../model/time.ts';
import { lockRemovals } from '../store/database.ts';
import { daysWithRows } from '../store/day/open/open-days.ts';
import { sealAll } from '../store/day/seal.ts';
import { wholeDays } from '../store/day/whole-days.ts';
import { recorder } from '../store/write/recorder.ts';
import { accountFlag, CommandError, command, type Opened, settingFlag, UsageError } from './command.ts';
import { counted, formatCount, table } from './format.ts';
import { type FormatName, formatNames } from './import/formats.ts';
import { type ImportReport, importAll } from './import/importer.ts';
import { openSource, type Source } from './import/lines.ts';
import { progressOf } from './long-work.ts';
import { siteNamed } from './lookup.ts';
import { openPastPipeline, type PastParts } from './past-pipeline.ts';

export const importLines = command({
  name: 'import',
  operands: { FILE: String },
  flags: {
    site: { kind: 'text', value: 'DOMAIN', required: true, meaning: 'The site the lines belong to' },
    format: {
      kind: 'text',
      value: 'FORMAT',
      meaning: 'ndjson or combined (default: what the first line looks like)',
      read: (typed: string) => formatNamed(typed),
    },
    'geo-db': settingFlag('geoDb'),
    'geo-asn-db': settingFlag('geoAsnDb'),
    ...accountFlag,
  },
  summary: 'Import hits (NDJSON) or an access log, from a file or - for stdin',
  details: `ndjson has a line of {"at":"2026-10-01T12:00:00.000Z","ip":"203.0.113.9","ua":"…","hit":{…}} for each hit. combined is the
access log of Apache and nginx: page views become hits, and requests of named crawlers go to the crawlers view. Both may be
compressed with gzip. Days must ascend. Within a day (UTC), lines may come in any order. A day is written whole or not at all,
and sealed if it is over. Lines of a day that is already sealed are counted and left out, so importing a file of past days
twice counts it once. Stop the server first.`,
  database: 'open',
  exclusive: true,
  run: async (context, { operands: { FILE }, flags }) => {
    const site = siteNamed(context.db, flags.site, flags.account);
    const geo = {
      geoDb: readSetting('geoDb', context.env, flags),
      geoAsnDb: readSetting('geoAsnDb', context.env, flags),
    };
    // It sorts the hits of an open day, which removals name by their place.
    const unlock = lockRemovals(context.dataDir);
    try {
      const report = await importInto(context, site, openSource(context, FILE), flags.format, geo);
      return { json: { site: site.domain, ...report }, text: reportText(report) };
    } finally {
      unlock();
    }
  },
});

const formatNamed = (name: string): FormatName => {
  const format = formatNames.find(known => known === name);
  if (format !== undefined) return format;
  throw new UsageError(`There is no format ${name}: it is ${formatNames.join(' or ')}.`);
};

const importInto = async (
  context: Opened<'open'>,
  site: Site,
  source: Source,
  format: FormatName | undefined,
  geo: PastParts['geo'],
): Promise<ImportReport> => {
  const { db, now, signal } = context;
  const today = utcDayOf(now());
  // A finished day with rows is one that a server or an import left. Sealed, it cannot be doubled.
  sealAll(db, today, now());
  const begun = daysWithRows(db)(site.id).find(({ day }) => day === today)?.day ?? null;
  const records = recorder(db);
  const { pipeline, close } = await openPastPipeline(context, {
    db,
    recorder: records,
    // Lines are of this site, whichever they name.
    directory: { find: key => (key === site.publicKey || key === site.uuid ? site : undefined) },
    geo,
  });
  const progress = progressOf(context);
  const report: ImportReport = { lines: 0, outcomes: {}, days: [] };
  const check = (gathering: string | null): void => {
    if (signal.aborted) throw new CommandError('Interrupted.');
    progress.show(() => progressText(report, source.part(), gathering));
  };
  try {
    const days = wholeDays(db);
    await importAll(source.lines, { site, format, pipeline, db, recorder: records, days, begun, now, report, check });
  } catch (error) {
    throw stopped(error, report.days);
  } finally {
    progress.end();
    close();
  }
  if (begun !== null && report.days.includes(utcDayName(begun))) {
    context.stderr.write(`daybook: Today, ${utcDayName(today)}, had hits before; its lines were added to them.\n`);
  }
  return report;
};

/** An error that also says what is done and what is not. */
const stopped = (error: unknown, days: readonly string[]): unknown => {
  if (!(error instanceof CommandError)) return error;
  const done =
    days.length === 0 ? 'Nothing is imported' : `Days up to ${days.at(-1)} are imported, and nothing after that`;
  return new CommandError(`${error.message} ${done}.`);
};

const progressText = ({ lines, outcomes: counts }: ImportReport, part: number | null, day: string | null): string => {
  const ended = Object.values(counts).reduce((sum, hits) => sum + hits, 0);
  const read = part === null ? '' : ` (${Math.floor(part * 100)} %)`;
  return [`${counted(lines, 'line')} read${read}, ${formatCount(ended)} done`, day]
    .filter(piece => piece !== null)
    .join(', ');
};

const reportText = ({ lines, outcomes: counts, days }: ImportReport): string => {
  const rows = (Object.entries(counts) as [Outcome, number][]).sort((a, b) => b[1] - a[1]);
  const text = table(
    ['OUTCOME', 'LINES', 'MEANING'],
    rows.map(([outcome, hits]) => [outcome, hits, outcomes[outcome].meaning]),
  );
  const span = days.length === 0 ? '' : `, ${counted(days.length, 'day')} from ${days[0]} to ${days.at(-1)}`;
  return `${rows.length === 0 ? '' : `${text}\n\n`}Read ${formatCount(lines)} ${lines === 1 ? 'line' : 'lines'}${span}.`;
};
