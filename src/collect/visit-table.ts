/**
 * Visits by visitor, in one typed array: some 50 bytes each where a Map of objects takes 150, and
 * nothing for the garbage collector to walk through. A hash table with open addressing. In cookie
 * mode visitors choose what their key is made of, so a hash with a key of the process picks the
 * slot. A slot is
 *
 *     offset  size  what
 *     0       8     the visitor, as two unsigned integers
 *     8       8     id of the visit, a double; 0 in an empty slot, since ids begin at 1
 *     16      8     when it had its latest hit, in UTC milliseconds, a double
 *
 * so a look-up touches one line of the processor's cache. Slots are never freed: tables are dropped
 * whole.
 */
import type { KeyedHash } from '../model/keyed-hash.ts';
import { highWord, lowWord, type VisitorKey } from './visitor.ts';

const slotsAtFirst = 1024;
/** The fields of a slot, in integers and in doubles. */
const words = { perSlot: 6, high: 0, low: 1 };
const numbers = { perSlot: 3, id: 1, lastAt: 2 };

export class VisitTable {
  readonly #hash: KeyedHash;
  #slots = slotsAtFirst;
  #words = new Uint32Array(slotsAtFirst * words.perSlot);
  #numbers = new Float64Array(this.#words.buffer);
  #size = 0;

  constructor(hash: KeyedHash) {
    this.#hash = hash;
  }

  get size(): number {
    return this.#size;
  }

  /** Id of the visitor's visit if it had a hit at or after `since`, else 0. */
  find(visitor: VisitorKey, since: number): number {
    const at = this.#slotOf(highWord(visitor), lowWord(visitor)) * numbers.perSlot;
    return this.#numbers[at + numbers.lastAt]! >= since ? this.#numbers[at + numbers.id]! : 0;
  }

  /** The visitor's visit is this one and had a hit at `lastAt`. */
  put(visitor: VisitorKey, id: number, lastAt: number): void {
    const high = highWord(visitor);
    const low = lowWord(visitor);
    if (this.#put(high, low, id, lastAt) && ++this.#size > this.#slots * 0.75) this.#grow();
  }

  /** Forgets the visitor's visit. */
  forget(visitor: VisitorKey): void {
    const slot = this.#slotOf(highWord(visitor), lowWord(visitor));
    this.#numbers[slot * numbers.perSlot + numbers.lastAt] = Number.NEGATIVE_INFINITY;
  }

  /** The visitor's slot, or the empty one that would be. */
  #slotOf(high: number, low: number): number {
    const mask = this.#slots - 1;
    for (let slot = this.#hash(high, low, 0) & mask; ; slot = (slot + 1) & mask) {
      const word = slot * words.perSlot;
      if (this.#words[word + words.low] === low && this.#words[word + words.high] === high) return slot;
      if (this.#numbers[slot * numbers.perSlot + numbers.id] === 0) return slot;
    }
  }

  /** True when it took an empty slot. */
  #put(high: number, low: number, id: number, lastAt: number): boolean {
    const slot = this.#slotOf(high, low);
    const at = slot * numbers.perSlot;
    const before = this.#numbers[at + numbers.id];
    this.#words[slot * words.perSlot + words.high] = high;
    this.#words[slot * words.perSlot + words.low] = low;
    this.#numbers[at + numbers.id] = id;
    this.#numbers[at + numbers.lastAt] = before === id ? Math.max(this.#numbers[at + numbers.lastAt]!, lastAt) : lastAt;
    return before === 0;
  }

  #grow(): void {
    const [oldWords, oldNumbers, oldSlots] = [this.#words, this.#numbers, this.#slots];
    this.#slots = 2 * oldSlots;
    this.#words = new Uint32Array(this.#slots * words.perSlot);
    this.#numbers = new Float64Array(this.#words.buffer);
    for (let slot = 0; slot < oldSlots; slot++) {
      const [word, at] = [slot * words.perSlot, slot * numbers.perSlot];
      const id = oldNumbers[at + numbers.id]!;
      if (id === 0) continue;
      this.#put(oldWords[word + words.high]!, oldWords[word + words.low]!, id, oldNumbers[at + numbers.lastAt]!);
    }
  }
}
