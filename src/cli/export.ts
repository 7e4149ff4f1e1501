/** `daybook export`: all hits of a site, for other programs and for another Daybook. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { type ExportFormat, type ExportWriter, exportFormatNames, exportFormats } from '../export/formats.ts';
import { visitsOf } from '../export/stored-hits.ts';
import { dayExists } from '../model/calendar.ts';
import { dayMs } from '../model/time.ts';
import { openReader } from '../store/database.ts';
import { dayReader } from '../store/day/day-reader.ts';
import { accountFlag, CommandError, command, UsageError } from './command.ts';
import { counted } from './format.ts';
import { progressOf } from './long-work.ts';
import { siteWithHits } from './lookup.ts';

const farAhead = Date.UTC(9999, 0, 1);
/** Written together: a visit is some hundred bytes. */
const pieceChars = 256 * 1024;

export const exportHits = command({
  name: 'export',
  operands: { FILE: String },
  flags: {
    site: { kind: 'text', value: 'DOMAIN', required: true, meaning: 'The site whose hits are exported' },
    format: {
      kind: 'text',
      value: 'FORMAT',
      meaning: `${exportFormatNames.join(', ')} (default: ndjson)`,
      read: (typed: string) => formatNamed(typed),
    },
    from: {
      kind: 'text',
      value: 'DATE',
      meaning: 'First day, in UTC',
      read: (typed: string) => dayNamed('--from', typed),
    },
    to: { kind: 'text', value: 'DATE', meaning: 'Last day, in UTC', read: (typed: string) => dayNamed('--to', typed) },
    ...accountFlag,
  },
  summary: 'Write all hits of a site to a file, or - for stdout',
  details: `ndjson is what daybook import reads, and answers every question alike where it is imported. parquet has a row for each hit, for DuckDB
and its like. umami is Umami's table website_event as CSV; it has no place for properties, traits, amounts and times on pages.
Days come in order, each as it is when it is read. It may run beside a server.`,
  database: 'find',
  printsAsItGoes: true,
  run: async (context, { operands: { FILE }, flags }) => {
    const progress = progressOf(context);
    const db = openReader(context.dataDir);
    const file = FILE === '-' ? null : await opened(FILE);
    const write = writerTo(file ?? (context.stdout as Writable));
    try {
      const site = siteWithHits(db, flags.site, flags.account);
      const format: ExportWriter = await exportFormats[flags.format ?? 'ndjson'](site.uuid);
      const reader = dayReader(db, 0);
      const outline = reader.outline(site.id, flags.from ?? 0, (flags.to ?? farAhead) + dayMs);
      await write(format.begin ?? '');
      let hits = 0;
      for (const [i, part] of outline.entries()) {
        for (const day of reader.day(site.id, part)) {
          for (const visit of visitsOf(day, reader.texts)) {
            hits += visit.hits.length;
            await write(format.visit(visit) ?? '');
            if (context.signal.aborted) throw new CommandError('Interrupted: the file is not whole.');
          }
        }
        progress.show(() => `${Math.floor((100 * (i + 1)) / outline.length)} %`);
      }
      await write(format.end?.() ?? '', true);
      if (file !== null) await new Promise(resolve => file.end(resolve));
      progress.end();
      if (file !== null) context.stdout.write(`Wrote ${counted(hits, 'hit')} of ${site.domain} to ${FILE}.\n`);
      return undefined;
    } finally {
      progress.end();
      db.close();
    }
  },
});

/** Its owner alone may read the file. */
const opened = async (path: string): Promise<Writable> => {
  const file = createWriteStream(path, { mode: 0o600 });
  await once(file, 'open').catch(error => {
    throw new CommandError(`The file cannot be written: ${error.message}.`);
  });
  return file;
};

/** Writes pieces together, and waits while the reader is behind. */
const writerTo = (stream: Writable) => {
  let pending: (string | Buffer)[] = [];
  let size = 0;
  let failed: Error | undefined;
  stream.on?.('error', error => {
    failed = error;
  });
  return async (piece: string | Buffer, isLast = false): Promise<void> => {
    if (piece.length > 0) pending.push(piece);
    size += piece.length;
    if (size < pieceChars && !isLast) return;
    const pieces = pending;
    [pending, size] = [[], 0];
    const bytes = pieces.some(part => typeof part !== 'string')
      ? Buffer.concat(pieces.map(part => Buffer.from(part as string)))
      : pieces.join('');
    if (bytes.length > 0 && stream.write(bytes) === false) await once(stream, 'drain');
    if (failed !== undefined) throw new CommandError(`The file cannot be written: ${failed.message}.`);
  };
};

const formatNamed = (typed: string): ExportFormat => {
  const found = exportFormatNames.find(name => name === typed);
  if (found === undefined) throw new UsageError(`--format is "${typed}": it must be ${exportFormatNames.join(', ')}.`);
  return found;
};

/** UTC milliseconds of the beginning of a day. */
const dayNamed = (flag: string, typed: string): number => {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(typed) ?? [];
  if (!dayExists(Number(year), Number(month), Number(day)))
    throw new UsageError(`${flag} is "${typed}": it must be a day like 2026-10-01.`);
  return Date.parse(typed);
};
