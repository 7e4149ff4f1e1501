/**
 * Copies the pages that changed to a place, and writes a point there. It runs in a thread of its
 * own, so that neither hits nor questions wait for it.
 */
import { setImmediate } from 'node:timers/promises';
import { StoreError } from '../database.ts';
import { isDue } from './clock.ts';
import type { PointsKept } from './keep.ts';
import { type Known, learn } from './learn.ts';
import type { Objects } from './objects.ts';
import { claim, isOwner, type Owner, renew, type Silence } from './owner.ts';
import { pageSet } from './page-set.ts';
import { type PageState, saveDigests } from './page-state.ts';
import { changedPages } from './page-watch.ts';
import type { Place } from './place.ts';
import { encodePack, encodePoint, type Point, pointName } from './points.ts';
import { readPredecessor } from './predecessor.ts';
import { openSnapshots, type Snapshot, type SnapshotReader } from './snapshot.ts';
import { sweeper } from './sweep.ts';

export interface CopierOptions {
  dataDir: string;
  place: Place;
  sealed: Objects;
  keep: PointsKept;
  /** Bits of pages that changed (page-watch.ts). */
  changed: SharedArrayBuffer;
  /** Of this server: of the directory, of the process, and for people. */
  owner: Omit<Owner, 'at'>;
  version: string;
}

export interface Round {
  /** UTC milliseconds: the place holds the database as it was then, or some milliseconds later. */
  at: number;
  /** Pages and bytes that were sent. */
  pages: number;
  bytes: number;
}

export interface Copier {
  /**
   * Makes the place hold the database as it is now. Null while it watches whether the server that
   * the directory was restored from still runs (owner.ts). Rejects when it cannot; the next round
   * goes on where this one stopped.
   */
  round(now: number): Promise<Round | null>;
  /** Says that this server still writes here, where it does. To be called every `renewMs`. */
  renew(): Promise<void>;
  /** Has the pages of missing or damaged packs copied again by the next round. */
  distrust(packs: Iterable<number>): void;
  /** Writes down what the place holds, for the next start. */
  close(): void;
}

/** 8 MiB: what one object holds, and one short transaction reads. */
const packPages = 2048;
/** Up to 64 MiB are read as of one moment. Before that, changes are copied as they are found. */
const lastPassPages = 8 * packPages;
/** If each pass leaves more than that, the place is too slow. */
const passesMax = 8;
/** All pages are compared after this long: another program may have copied the log. */
const compareAllMs = 24 * 60 * 60_000;
/** How often old points go, small rests of packs are joined, and digests are written down. */
const tidyMs = 60 * 60_000;
/** Packs of which fewer pages are left are copied again, together. */
const remainsMax = packPages / 8;
/** Fewer of them are left alone. */
const remainsMin = 64;

export const createCopier = (options: CopierOptions): Copier => new PageCopier(options);

/**
 * Every page that may differ from what the place holds is in `#pending` or `#underWay`, in the log
 * behind where the snapshots read it, or noted in the shared bits.
 */
class PageCopier implements Copier {
  readonly #options: CopierOptions;
  readonly #snapshots: SnapshotReader;
  readonly #sweep: ReturnType<typeof sweeper>;
  readonly #pending = pageSet();
  /** Taken out of `#pending`, and not yet sent. */
  readonly #underWay = pageSet();
  #known: Known | undefined;
  /** Packs whose pages are to be copied again. */
  readonly #distrusted = new Set<number>();
  /** Pages of the newest moment, and when that was. */
  #pages = 0;
  #momentAt = 0;
  /** The name of the newest point, and whether the place holds nothing newer. */
  #newest = '';
  #isPublished = false;
  #clock = { now: 0, began: 0 };
  #sent = { pages: 0, bytes: 0 };
  #hasOwned = false;
  readonly #silence: Silence = { ms: 0, lookedAt: Number.POSITIVE_INFINITY };
  #comparedAt = Number.NEGATIVE_INFINITY;
  #tidiedAt = 0;

  constructor(options: CopierOptions) {
    this.#options = options;
    const { dataDir, changed } = options;
    this.#snapshots = openSnapshots({ dataDir, changed, found: page => this.#pending.add(page) });
    this.#sweep = sweeper(options.place, options.sealed, options.keep);
  }

  async round(now: number): Promise<Round | null> {
    try {
      return await this.#copy(now);
    } catch (error) {
      this.#putBack();
      throw error;
    }
  }

  async renew(): Promise<void> {
    const { place, sealed, owner } = this.#options;
    if (this.#hasOwned && (await this.#isOwner())) await renew(place, sealed, { ...owner, at: this.#now() });
  }

  distrust(packs: Iterable<number>): void {
    for (const pack of packs) this.#distrusted.add(pack);
  }

  close(): void {
    if (this.#known !== undefined && this.#isPublished) {
      this.#forget(this.#known);
      this.#save(this.#known);
    }
    this.#snapshots.close();
  }

  async #copy(now: number): Promise<Round | null> {
    this.#sent = { pages: 0, bytes: 0 };
    this.#clock = { now, began: performance.now() };
    const known = await this.#begin();
    if (known === null) return null;
    this.#forget(known);
    await this.#send(known, await this.#catchUp(known));
    if (!this.#isPublished) await this.#publish(known);
    this.#underWay.take(this.#underWay.size);
    await this.#tidy(known);
    return { at: this.#momentAt, ...this.#sent };
  }

  #forget({ state }: Known): void {
    for (const page of state.forget(this.#distrusted)) this.#pending.add(page);
    this.#distrusted.clear();
  }

  /** Rounds may take hours. */
  #now(): number {
    return this.#clock.now + Math.floor(performance.now() - this.#clock.began);
  }

  /** Makes sure that the place is this server's, and learns what it holds if that is not known. */
  async #begin(): Promise<Known | null> {
    const { place, sealed, dataDir, owner } = this.#options;
    if (this.#known !== undefined && (await this.#isOwner())) return this.#known;
    const now = this.#now();
    const history = { again: this.#hasOwned, predecessor: readPredecessor(dataDir), silence: this.#silence };
    if (!(await claim(place, sealed, { ...owner, at: now }, history))) return null;
    this.#hasOwned = true;
    this.#known = undefined;
    this.#known = await learn(place, sealed, dataDir, owner.process);
    this.#comparedAt = Number.NEGATIVE_INFINITY;
    [this.#tidiedAt, this.#isPublished] = [now, false];
    return this.#known;
  }

  #isOwner(): Promise<boolean> {
    const { place, sealed, owner } = this.#options;
    return isOwner(place, sealed, owner);
  }

  /** Gathers what changed: all pages where some may have changed unseen, and each day. */
  #gather(): void {
    const pages = this.#snapshots.read(snapshot => snapshot.pages);
    const now = this.#now();
    const unseen = changedPages(this.#options.changed, { take: true }, page => this.#pending.add(page));
    if (!unseen && !isDue(now, this.#comparedAt, compareAllMs)) return;
    for (let page = 1; page <= pages; page++) this.#pending.add(page);
    this.#comparedAt = now;
  }

  #takePending(count: number): number[] {
    const pages = this.#pending.take(count);
    for (const page of pages) this.#underWay.add(page);
    return pages;
  }

  #putBack(): void {
    for (const page of this.#underWay.take(this.#underWay.size)) this.#pending.add(page);
  }

  async #put(name: string, content: Buffer): Promise<void> {
    const object = this.#options.sealed.encode(name, content);
    await this.#options.place.put(name, object);
    this.#sent.bytes += object.length;
  }

  /** Sends pages, in packs. */
  async #send(known: Known, { numbers, contents }: Different): Promise<void> {
    for (let from = 0; from < numbers.length; from += packPages) {
      const to = from + packPages;
      await this.#sendPack(known, { numbers: numbers.slice(from, to), contents: contents.slice(from, to) });
    }
  }

  async #sendPack({ state, nextPack }: Known, { numbers, contents }: Different): Promise<void> {
    const pack = nextPack();
    this.#isPublished = false;
    await this.#put(pack.name, encodePack({ pages: Uint32Array.from(numbers), content: Buffer.concat(contents) }));
    for (const [i, number] of numbers.entries()) state.set(number, pack.number, contents[i]!);
    this.#sent.pages += numbers.length;
  }

  /**
   * Copies what changed while the database goes on changing, until little is left. Gives that, as
   * of one moment, which is over before it is sent.
   */
  async #catchUp(known: Known): Promise<Different> {
    for (let pass = 0; pass < passesMax; pass++) {
      this.#gather();
      if (pass > 0 || this.#pending.size > lastPassPages) await this.#sendPending(known);
      const at = this.#now();
      const rest = this.#snapshots.read(snapshot => this.#restOf(known, snapshot));
      if (rest === null) continue;
      [this.#pages, this.#momentAt] = [rest.pages, at];
      known.state.shorten(rest.pages);
      return rest;
    }
    throw new StoreError('BACKUP_TO takes less in a second than changes in one.');
  }

  /** Copies the pages that are pending now, each as it is when its turn comes. */
  async #sendPending(known: Known): Promise<void> {
    for (let left = this.#pending.size; left > 0; left -= packPages) {
      const numbers = this.#takePending(packPages);
      await this.#send(
        known,
        this.#snapshots.read(snapshot => differentOf(known.state, snapshot, numbers)),
      );
      this.#underWay.take(numbers.length);
      // Comparing all pages may take minutes, and this server must say that it is there.
      await setImmediate();
    }
  }

  /** Null when that is too much. */
  #restOf({ state }: Known, snapshot: Snapshot): (Different & { pages: number }) | null {
    // It may be the second try.
    this.#putBack();
    // They stay noted: what was noted just now may not be in this moment yet.
    const unseen = changedPages(this.#options.changed, { take: false }, page => this.#pending.add(page));
    if (unseen || this.#pending.size > lastPassPages) return null;
    const numbers = this.#takePending(this.#pending.size);
    return { pages: snapshot.pages, ...differentOf(state, snapshot, numbers) };
  }

  async #publish(known: Known): Promise<void> {
    // Whoever was replaced meanwhile must not write a point.
    if (!(await this.#isOwner())) throw new StoreError('Another server took BACKUP_TO over.');
    const packs = known.state.packs(this.#pages);
    if (packs.includes(0)) {
      this.#comparedAt = Number.NEGATIVE_INFINITY;
      throw new Error('a page was never copied');
    }
    const at = this.#momentAt;
    const name = pointName({ number: known.nextPoint, at });
    const [{ version }, { pageBytes }] = [this.#options, this.#snapshots];
    const point: Point = { at, version, pageBytes, writers: known.writersOf(new Set(packs)), packs };
    await this.#put(name, encodePoint(point));
    [this.#newest, this.#isPublished] = [name, true];
    known.nextPoint++;
  }

  /** What need not be done each time, once all is in a point. */
  async #tidy(known: Known): Promise<void> {
    const now = this.#now();
    if (!isDue(now, this.#tidiedAt, tidyMs)) return;
    this.#tidiedAt = now;
    // First, so that the point it names stays.
    this.#save(known);
    const packs = known.state.packs(this.#pages);
    this.distrust(await this.#sweep(now, new Set(packs)));
    const remains = smallRemains(packs);
    if (remains.length >= remainsMin) this.distrust(remains);
  }

  #save({ state }: Known): void {
    saveDigests(this.#options.dataDir, this.#newest, state.digests(this.#pages));
  }
}

/** Pages that the place does not hold as they are. */
interface Different {
  numbers: number[];
  contents: Buffer[];
}

const differentOf = (state: PageState, snapshot: Snapshot, numbers: readonly number[]): Different => {
  const different: Different = { numbers: [], contents: [] };
  for (const number of numbers) {
    if (number > snapshot.pages) continue;
    const content = snapshot.page(number);
    if (state.holds(number, content)) continue;
    different.numbers.push(number);
    different.contents.push(content);
  }
  return different;
};

/** Packs of which little is left in the newest point. */
const smallRemains = (packs: Uint32Array): number[] => {
  const left = new Map<number, number>();
  for (const pack of packs) left.set(pack, (left.get(pack) ?? 0) + 1);
  return Array.from(left)
    .filter(([, count]) => count < remainsMax)
    .map(([pack]) => pack);
};
