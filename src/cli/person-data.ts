/** `daybook person-data`: hands out all that is stored of a person's visits. */
import type { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { personLine } from '../export/person.ts';
import { visitsOf } from '../export/stored-hits.ts';
import type { ExportedVisit } from '../model/exported-visit.ts';
import { partsWithMarks } from '../query/person/find-visitors.ts';
import { firstDayOf } from '../store/cookie-visitors.ts';
import { openReader } from '../store/database.ts';
import type { Day } from '../store/day/day.ts';
import { dayReader } from '../store/day/day-reader.ts';
import { theirVisits } from '../store/erase.ts';
import { nodes } from '../store/nodes.ts';
import { command } from './command.ts';
import { stopIfAsked } from './long-work.ts';
import { siteWithHits } from './lookup.ts';
import { clusterFlag, onCluster } from './on-cluster.ts';
import { personFlags, personOf, visitorsMeant } from './person.ts';
import { pieceWriter } from './piece-writer.ts';

const meaning = 'what was written is not whole.';

export const personData = command({
  name: 'person-data',
  operands: { DOMAIN: String },
  flags: { ...personFlags, ...clusterFlag },
  summary: 'Write all that is stored of a person’s visits to a site to stdout',
  details: `A line of JSON for each visit, with its traits and its hits, day by day. --where finds visitors: of each who has a visit
with a hit that passes all filters, all visits are written: with a cookie those of all days, else those of that day. It may run
beside a server. On a cluster, run it on the primary with --clickhouse: visits of collectors come first.`,
  database: 'find',
  printsAsItGoes: true,
  run: async (context, { operands: { DOMAIN }, flags }) => {
    const db = openReader(context.dataDir);
    try {
      const site = siteWithHits(db, DOMAIN, flags.account);
      const cluster = nodes(db).any() ? await onCluster({ ...context, db }, flags) : null;
      const visitors = await visitorsMeant(context, db, { site, person: personOf(db, site, flags), cluster, meaning });
      const write = pieceWriter(context, context.stdout as Writable, meaning);
      const firstHere = firstDayOf(db, site.id);
      const firstThere = new Map<string, number>();
      const lineOf = (visit: ExportedVisit): string => {
        const days = [firstHere(visit.visitor), firstThere.get(visit.visitor)].filter(day => typeof day === 'number');
        return personLine(visit, visit.isPersistent && days.length > 0 ? Math.min(...days) : null);
      };
      const all = visitors.list().map(of => ({ ...of, siteId: site.id, before: Number.MAX_SAFE_INTEGER }));
      for await (const [visit, first] of cluster?.collectedVisits(all) ?? []) {
        firstThere.set(visit.visitor, first);
        await write(lineOf(visit));
      }
      const reader = dayReader(db, 0);
      const wantedOf = theirVisits(visitors);
      const linesOf = db.transaction((read: () => Day[]): string[] =>
        read().flatMap(day => {
          const isWanted = wantedOf(day);
          return isWanted === null ? [] : Array.from(visitsOf(day, reader.texts, isWanted), lineOf);
        }),
      );
      for (const read of partsWithMarks(reader, site.id)) {
        for (const line of linesOf(read)) await write(line);
        await turn();
        stopIfAsked(context, meaning);
      }
      await write('', true);
      return undefined;
    } finally {
      db.close();
    }
  },
});
