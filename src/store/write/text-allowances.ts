/**
 * How many new texts a site takes on a UTC day, by kind, and how many of them from one sender. A
 * flood of them would fill the disk and slow every question down. It counts since the start of the
 * process: after a restart a site has its whole allowance again.
 *
 * What senders took stands in a table of a fixed size, 512 KiB, in the way of
 * collect/budgets.ts: two places for each that a keyed hash picks, and the lower number
 * counts. Each new day begins with an empty one.
 */
import type { KeyedHash } from '../../model/keyed-hash.ts';
import {
  senderPart,
  type TextBound,
  type TextKind,
  textKindNames,
  textKinds,
  textUnitBytes,
} from '../../model/text-kinds.ts';
import { hourMs, utcDayOf } from '../../model/time.ts';

/** Texts that became `(other)`, in an hour of UTC. */
export interface OtherTexts {
  siteId: number;
  hour: number;
  kind: TextKind;
  bound: TextBound;
  texts: number;
}

export interface TextAllowances {
  /** Says whose the texts are that follow. Without a network no sender's part of it is used. */
  from(siteId: number, at: number, network: number | undefined): void;
  /** Takes a new text from the allowance; false when there is nothing left for it. */
  take(kind: TextKind, text: string): boolean;
  /** How many texts were not taken since `keep` or `forget`. */
  refused(): Iterable<OtherTexts>;
  /** What was taken stays taken. */
  keep(): void;
  /** Nothing was taken since `keep`. */
  forget(): void;
  /** Texts that were not taken since the start, by kind and bound. */
  totals(): Iterable<Omit<OtherTexts, 'siteId' | 'hour'>>;
}

export interface TextAllowanceOptions {
  /** Of each kind whose part is 1. */
  newTextsMax: number;
  hash: KeyedHash;
  /** Called when a site has used up an allowance, once a day for each kind. */
  onUsedUp: (siteId: number, kind: TextKind) => void;
}

/** What a site has taken on its newest day, by the place of the kind. */
interface Used {
  day: number;
  units: Float64Array;
  /** 1 for kinds that are used up. */
  isToldOf: Uint8Array;
}

const halfBits = 16;
const half = 2 ** halfBits;

export const textAllowances = ({ newTextsMax, hash, onUsedUp }: TextAllowanceOptions): TextAllowances => {
  const siteMax = textKindNames.map(kind => Math.ceil(newTextsMax * textKinds[kind].part));
  const senderMax = siteMax.map(max => Math.ceil(max * senderPart));
  // Kinds share the table, and a flood of a kind with a large allowance must not fill it for those
  // with a small one: so it holds parts of what a sender may take, as units of that size.
  const senderUnit = senderMax.map(max => Math.floor(0xffffffff / max));
  const bySite = new Map<number, Used>();
  const bySender = new Uint32Array(2 * half);
  let newestDay = Number.NEGATIVE_INFINITY;
  const current = { siteId: 0, at: 0, network: undefined as number | undefined };
  const { raise, ...raised } = undoable();
  const refusals = refusalCounts();

  const usedBy = (siteId: number, day: number): Used => {
    let used = bySite.get(siteId);
    if (used === undefined || used.day < day) {
      const kinds = textKindNames.length;
      used = { day, units: new Float64Array(kinds), isToldOf: new Uint8Array(kinds) };
      bySite.set(siteId, used);
    }
    if (day > newestDay) {
      newestDay = day;
      bySender.fill(0);
    }
    return used;
  };

  return {
    from(siteId, at, network) {
      current.siteId = siteId;
      current.at = at;
      current.network = network;
    },
    take(kind, text) {
      const { siteId, at, network } = current;
      const k = textKindNames.indexOf(kind);
      const used = usedBy(siteId, utcDayOf(at));
      const units = Math.ceil(Buffer.byteLength(text) / textUnitBytes);
      const ofSite = used.units[k]! + units;
      if (ofSite > siteMax[k]!) {
        if (used.isToldOf[k] === 0) onUsedUp(siteId, kind);
        used.isToldOf[k] = 1;
        return refusals.add(current, kind, 'site');
      }
      if (network !== undefined) {
        const places = hash(network / 2 ** 32, network, siteId * textKindNames.length + k);
        const [first, second] = [places >>> halfBits, half + (places & (half - 1))];
        const ofSender = Math.min(bySender[first]!, bySender[second]!) + units * senderUnit[k]!;
        if (ofSender > senderMax[k]! * senderUnit[k]!) return refusals.add(current, kind, 'sender');
        raise(bySender, first, ofSender);
        raise(bySender, second, ofSender);
      }
      raise(used.units, k, ofSite);
      return true;
    },
    refused: refusals.all,
    keep() {
      raised.keep();
      refusals.keep();
    },
    forget() {
      raised.forget();
      refusals.forget();
    },
    totals: refusals.totals,
  };
};

/** Raises counts in a way that can be undone until `keep`. */
const undoable = () => {
  let before: { counts: Float64Array | Uint32Array; place: number; count: number }[] = [];
  return {
    raise(counts: Float64Array | Uint32Array, place: number, count: number): void {
      if (counts[place]! >= count) return;
      before.push({ counts, place, count: counts[place]! });
      counts[place] = count;
    },
    keep() {
      before = [];
    },
    forget() {
      for (const { counts, place, count } of before.reverse()) counts[place] = count;
      before = [];
    },
  };
};

/** Counts texts that were not taken: since `keep` by site and hour, and in all. */
const refusalCounts = () => {
  const counts = new Map<string, OtherTexts>();
  const totals = new Map<string, Omit<OtherTexts, 'siteId' | 'hour'>>();
  return {
    add({ siteId, at }: { siteId: number; at: number }, kind: TextKind, bound: TextBound): false {
      const hour = Math.floor(at / hourMs);
      const key = `${siteId} ${hour} ${kind} ${bound}`;
      const counted = counts.get(key);
      if (counted === undefined) counts.set(key, { siteId, hour, kind, bound, texts: 1 });
      else counted.texts++;
      return false;
    },
    keep() {
      for (const { kind, bound, texts } of counts.values()) {
        const total = totals.get(`${kind} ${bound}`) ?? { kind, bound, texts: 0 };
        total.texts += texts;
        totals.set(`${kind} ${bound}`, total);
      }
      counts.clear();
    },
    forget: () => counts.clear(),
    all: () => counts.values(),
    totals: () => totals.values(),
  };
};
