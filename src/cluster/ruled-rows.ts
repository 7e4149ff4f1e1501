/**
 * Rows of a day without some of its hits, made where they are. A visit of which hits are left out
 * is composed anew, as src/store/day/some-hits.ts does it, and is suspect by what stays of it, as
 * src/query/scan/suspects.ts has it.
 */
import { hitTypes } from '../model/hit.ts';
import type { NetworkKind } from '../model/hosting-networks.ts';
import { manyPages, pacedPages, paceParts, type SuspectReason } from '../model/suspects.ts';
import { hitColumns, rulesNode, visitColumns } from './schema.ts';
import type { RowSource } from './source.ts';
import { not, text } from './sql.ts';

const { pageview, custom, revenue } = hitTypes;

/** What is said of a hit or of its visit where others of the visit are left out. */
const anew: Readonly<Record<string, string>> = {
  started: 'leftStarted',
  duration: 'toUInt32(leftEnded - leftStarted)',
  hits: 'leftHits',
  pageviews: 'leftViews',
  converted: 'leftConverted',
  paid: 'leftPaid',
  entryPath: 'leftEntry',
  exitPath: 'leftExit',
  suspect: 'leftSuspect',
  isEntry: `toUInt8(type = ${pageview} and id = firstView)`,
  isExit: `toUInt8(type = ${pageview} and id = lastView)`,
};

const names = [...visitColumns, ...hitColumns].map(([name]) => name);

/** Inserts what stays of a day as a revision of `rulesNode`. `isOut` is a condition on rows. */
export const insertRows = ({ table, days }: RowSource, isOut: string, revision: number): string => {
  const columnOf = (name: string): string => {
    if (name === 'node') return `toUInt16(${rulesNode})`;
    if (name === 'revision') return `toUInt64(${revision})`;
    return anew[name] === undefined ? name : `if(isTouched, ${anew[name]}, ${castOf(name)})`;
  };
  const touched = `select visit from ${table} where ${days} and (${isOut})`;
  const rows = `select visit, id, at, type, event, started, duration, networkKind, secondsOnPage, scroll,
    toString(path) as page, ${not(isOut)} as stays from ${table} where ${days} and visit in (${touched})`;
  return `insert into hit (${names.join(', ')}) select ${names.map(columnOf).join(', ')}
    from (select ${names.join(', ')} from ${table} where ${days} and ${not(isOut)}) as kept
    any left join (${visitsOf(rows)}) as touched using visit`;
};

/** Both sides of a condition are of one type. */
const castOf = (name: string): string => (/Path$|^suspect$/.test(name) ? `toString(${name})` : name);

/** Of visits of which hits are left out, what those that stay tell. */
const visitsOf = (rows: string): string => {
  const isView = `stays and type = ${pageview}`;
  const count = (condition: string): string => `countIf(${condition})`;
  return `select visit, toUInt8(1) as isTouched, toUInt32(${count('stays')}) as leftHits, toUInt32(${count(isView)}) as leftViews,
    if(minIf(id, stays) = min(id), min(started), minIf(at, stays)) as leftStarted,
    if(maxIf(id, stays) = max(id), max(started + duration), maxIf(at, stays)) as leftEnded,
    toUInt8(${count(`stays and type in (${custom}, ${revenue}) and event != ''`)} > 0) as leftConverted,
    toUInt8(${count(`stays and type = ${revenue}`)} > 0) as leftPaid,
    minIf(id, ${isView}) as firstView, maxIf(id, ${isView}) as lastView,
    argMinIf(page, id, ${isView}) as leftEntry, argMaxIf(page, id, ${isView}) as leftExit,
    arraySort(groupArrayIf(at, ${isView})) as views,
    arrayMap((later, earlier) -> later - earlier, arrayPopFront(views), arrayPopBack(views)) as pauses,
    ${suspectSql(count('stays and (secondsOnPage > 0 or scroll > 0)'))} as leftSuspect
    from (${rows}) group by visit`;
};

/** `looks` counts the hits that tell for how long their page was looked at. */
const suspectSql = (looks: string): string => {
  const reason = (name: SuspectReason): string => text(name);
  const isHosting = `any(networkKind) = ${text('hosting' satisfies NetworkKind)}`;
  const [shortest, longest] = ['min', 'max'].map(name => `arrayReduce('${name}', pauses)`);
  return `multiIf(${[
    `${isHosting}, ${reason('hosting')}`,
    `leftViews >= ${manyPages}, ${reason('many-pages')}`,
    `leftViews >= ${pacedPages}, if((${longest} - ${shortest}) * ${paceParts} <= ${shortest}, ${reason('regular-pace')}, '')`,
    `leftHits = 1 and leftViews = 1 and leftStarted = leftEnded and ${looks} = 0, ${reason('no-interaction')}`,
  ].join(', ')}, '')`;
};
