/** A cluster's collectors as its primary knows them. Each has a number that no other ever had. */
import { type Database, StoreError } from './database.ts';

export interface Node {
  /** From 1. The primary is 0. */
  number: number;
  identity: string;
  /** UTC milliseconds. */
  createdAt: number;
  /** Gone for good: whoever comes with its identity gets another number. */
  isRetired: boolean;
}

export interface Nodes {
  /** By number. */
  list(): Node[];
  /** Whether there are or were any. */
  any(): boolean;
  /** Whether an identity has a number. */
  isKnown(identity: string): boolean;
  /** Notes that a node is gone for good; false where there is none of the number. */
  retire(number: number): boolean;
  /**
   * The number of an identity, the same whenever it is asked for. `claimed` is the one it says it
   * has: a primary that was restored from an old copy learns it again, unless it is so high that
   * nobody can have given it. Throws StoreError when there are too many collectors.
   */
  numberOf(identity: string, claimed: number | null, now: number): number;
}

/** Before the identity of a node that is gone, which nobody can show. */
const retired = 'retired ';

/** Collectors at a time. So who knows the token can neither make more nor hide the operator’s. */
export const collectorsMax = 500;
/** A claimed number may be higher by so many than there are collectors, gone ones included. */
const claimAheadMax = 1000;
/** Those above are of days that were closed, and of what rules leave of them. */
const numberMax = 65_533;

export const nodes = (db: Database): Nodes => {
  const all = db.prepare('select number, identity, created_at as createdAt from node order by number');
  const retire = db.prepare(`update node set identity = ? || replace(identity, ?, '') where number = ?`);
  const any = db.prepare('select exists (select 1 from node)').pluck();
  const find = db.prepare('select number from node where identity = ?').pluck();
  const taken = db.prepare('select 1 from node where number = ?').pluck();
  const counts = db.prepare('select count(*) as given, count(*) filter (where identity not like ?) as live from node');
  const newest = db.prepare(`select seq from sqlite_sequence where name = 'node'`).pluck();
  const insert = db.prepare('insert into node (number, identity, created_at) values (?, ?, ?)');
  return {
    list: () =>
      (all.all() as Omit<Node, 'isRetired'>[]).map(node => ({ ...node, isRetired: node.identity.startsWith(retired) })),
    retire: number => retire.run(retired, retired, number).changes > 0,
    any: () => any.get() === 1,
    isKnown: identity => find.get(identity) !== undefined,
    numberOf: db.transaction((identity: string, claimed: number | null, now: number): number => {
      const known = find.get(identity) as number | undefined;
      if (known !== undefined) return known;
      const { live, given } = counts.get(`${retired}%`) as { live: number; given: number };
      if (live >= collectorsMax)
        throw new StoreError(
          `The cluster has ${collectorsMax} collectors. Take those out that are gone: daybook cluster retire NODE`,
        );
      const isPossible = claimed !== null && claimed > 0 && claimed <= given + claimAheadMax;
      const isFree = isPossible && taken.get(claimed) === undefined;
      const number = isFree ? claimed : 1 + Number(newest.get() ?? 0);
      if (number > numberMax) throw new StoreError(`A cluster has had ${numberMax} collectors: no number is left.`);
      insert.run(number, identity, now);
      return number;
    }).immediate,
  };
};
