/**
 * Copies the pages that changed to a place, and writes a point there. It runs in a thread of its
 * own, so that neither hits nor questions wait for it.
 */
import { StoreError } from '../database.ts';
import type { Keep } from './keep.ts';
import { type Known, learn } from './learn.ts';
import type { Objects } from './objects.ts';
import { claim, isOwner, type Owner, renew } from './owner.ts';
import { pageSet } from './page-set.ts';
import { type PageState, saveDigests } from './page-state.ts';
import { takeChangedPages } from './page-watch.ts';
import type { Place } from './place.ts';
import { encodePack, encodePoint, type Point, pointName } from './points.ts';
import { openSnapshots, type Snapshot, type SnapshotReader } from './snapshot.ts';
import { sweeper } from './sweep.ts';

export interface CopierOptions {
  dataDir: string;
  place: Place;
  sealed: Objects;
  keep: Keep;
  /** Bits of pages that changed (page-watch.ts). */
  changed: SharedArrayBuffer;
  /** Of this server: of the directory, of the process, and for people. */
  owner: Omit<Owner, 'at'>;
  version: string;
}

export interface Round {
  /** UTC milliseconds: the place holds the database as it was then, or later. */
  at: number;
  /** Pages and bytes that were sent. */
  pages: number;
  bytes: number;
}

export interface Copier {
  /**
   * Makes the place hold the database as it is now. Rejects when it cannot; the next round goes on
   * where this one stopped.
   */
  round(now: number): Promise<Round>;
  /** Has the pages of damaged packs copied again by the next round. */
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
/** How often the owner's object is written anew. */
const renewMs = 5 * 60_000;
/** How often old points go, small remains of packs are put together, and digests are written down. */
const tidyMs = 60 * 60_000;
/** Packs of which fewer pages are left are copied again, together. */
const remainsMax = packPages / 8;
/** Fewer of them are left alone. */
const remainsMin = 64;

export const createCopier = (options: CopierOptions): Copier => new PageCopier(options);

/** Every page that may differ from what the place holds is in `#pending` or `#underWay`, or not yet taken from the shared bits. */
class PageCopier implements Copier {
  readonly #options: CopierOptions;
  readonly #snapshots: SnapshotReader;
  readonly #sweep: (now: number) => Promise<void>;
  readonly #pending = pageSet();
  /** Taken out of `#pending` in this round. */
  readonly #underWay = pageSet();
  #known: Known | undefined;
  /** Pages of the newest moment, the name of the newest point, and whether it is that moment. */
  #pages = 0;
  #newest = '';
  #isPublished = false;
  #sent = { pages: 0, bytes: 0 };
  #comparedAt = Number.NEGATIVE_INFINITY;
  #renewedAt = 0;
  #tidiedAt = 0;

  constructor(options: CopierOptions) {
    this.#options = options;
    this.#snapshots = openSnapshots(options.dataDir);
    this.#sweep = sweeper(options.place, options.sealed, options.keep);
  }

  async round(now: number): Promise<Round> {
    try {
      return await this.#copy(now);
    } catch (error) {
      this.#putBack();
      throw error;
    }
  }

  distrust(packs: Iterable<number>): void {
    for (const page of this.#known?.state.forget(new Set(packs)) ?? []) this.#pending.add(page);
  }

  close(): void {
    if (this.#known !== undefined && this.#isPublished && this.#pending.size === 0) this.#save(this.#known);
    this.#snapshots.close();
  }

  async #copy(now: number): Promise<Round> {
    this.#sent = { pages: 0, bytes: 0 };
    const known = await this.#begin(now);
    // The name of a point is its time, so no two have the same.
    const at = Math.max(now, known.newestAt + 1);
    if (this.#take() || now - this.#comparedAt >= compareAllMs) {
      const pages = this.#snapshots.read(snapshot => snapshot.pages);
      for (let page = 1; page <= pages; page++) this.#pending.add(page);
      this.#comparedAt = now;
    }
    await this.#catchUp(known);
    await this.#finish(known);
    if (!this.#isPublished) {
      await this.#publish(known, at);
      known.newestAt = at;
    }
    this.#underWay.take(this.#underWay.size);
    await this.#tidy(known, now);
    return { at, ...this.#sent };
  }

  /** Makes sure that the place is this server's, and learns what it holds if that is not known. */
  async #begin(now: number): Promise<Known> {
    const { place, sealed, dataDir, owner } = this.#options;
    if (this.#known !== undefined && (await this.#isOwner())) return this.#known;
    this.#known = undefined;
    await claim(place, sealed, { ...owner, at: now });
    this.#known = await learn(place, sealed, dataDir, owner.process);
    this.#comparedAt = Number.NEGATIVE_INFINITY;
    [this.#renewedAt, this.#tidiedAt, this.#isPublished] = [now, now, false];
    return this.#known;
  }

  #isOwner(): Promise<boolean> {
    const { place, sealed, owner } = this.#options;
    return isOwner(place, sealed, owner);
  }

  /** Tells whether pages may have changed unseen. */
  #take(): boolean {
    return takeChangedPages(this.#options.changed, page => this.#pending.add(page));
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

  /** Sends pages as one pack. */
  async #send({ state, nextPack }: Known, { numbers, contents }: Different): Promise<void> {
    if (numbers.length === 0) return;
    const pack = nextPack();
    this.#isPublished = false;
    await this.#put(pack.name, encodePack({ pages: Uint32Array.from(numbers), content: Buffer.concat(contents) }));
    for (const [i, number] of numbers.entries()) state.set(number, pack.number, contents[i]!);
    this.#sent.pages += numbers.length;
  }

  /** Copies what changed while the database goes on changing, until little is left. */
  async #catchUp(known: Known): Promise<void> {
    for (let pass = 0; this.#pending.size > lastPassPages; pass++) {
      if (pass === passesMax) throw new StoreError('BACKUP_TO takes less in a second than changes in one.');
      for (let left = this.#pending.size; left > 0; left -= packPages) {
        const numbers = this.#takePending(packPages);
        await this.#send(
          known,
          this.#snapshots.read(snapshot => differentOf(known.state, snapshot, numbers)),
        );
      }
      this.#take();
    }
  }

  /** Copies the rest as of one moment, which is over before anything is sent. */
  async #finish(known: Known): Promise<void> {
    const { numbers, contents } = this.#snapshots.read(snapshot => {
      // It may be the second try.
      this.#putBack();
      this.#take();
      for (const number of snapshot.inLog) this.#pending.add(number);
      this.#pages = snapshot.pages;
      return differentOf(known.state, snapshot, this.#takePending(this.#pending.size));
    });
    for (let from = 0; from < numbers.length; from += packPages) {
      const to = from + packPages;
      await this.#send(known, { numbers: numbers.slice(from, to), contents: contents.slice(from, to) });
    }
  }

  async #publish({ state, writersOf }: Known, at: number): Promise<void> {
    // Whoever was replaced meanwhile must not write a point.
    if (!(await this.#isOwner())) throw new StoreError('Another server took BACKUP_TO over.');
    const packs = state.packs(this.#pages);
    const [{ version }, { pageBytes }] = [this.#options, this.#snapshots];
    const point: Point = { at, version, pageBytes, writers: writersOf(new Set(packs)), packs };
    await this.#put(pointName(at), encodePoint(point));
    [this.#newest, this.#isPublished] = [pointName(at), true];
  }

  /** What need not be done each time, once all is in a point. */
  async #tidy(known: Known, now: number): Promise<void> {
    const { place, sealed, owner } = this.#options;
    if (now - this.#renewedAt >= renewMs) {
      await renew(place, sealed, { ...owner, at: now });
      this.#renewedAt = now;
    }
    if (now - this.#tidiedAt < tidyMs) return;
    this.#tidiedAt = now;
    await this.#sweep(now);
    this.#save(known);
    const remains = smallRemains(known.state.packs(this.#pages));
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
