/** Files of the past as products write them, and what of each hit such a file can tell. */
import type { Said, VisitTexts } from './people.ts';
import { addressOf, nowhere, wireHit } from './people.ts';

export interface PastHit {
  at: number;
  said: Said;
}

/** Whom a line names: by address and user agent, by an id of that day, or by one that lasts in cookie mode. */
type Naming = 'address' | 'day' | 'lasting';

export interface PastFormat {
  name: string;
  naming: Naming;
  /** Times are whole multiples of so many milliseconds. */
  stepMs: number;
  /** The hit with what the file can tell of it; null where it has no place for such a hit. */
  told(said: Said, domain: string): Said | null;
  /** What the file says of the visit, of what a page's script would. */
  texts(texts: VisitTexts): VisitTexts;
  write(hits: readonly PastHit[], domain: string): string;
}

const iso = (at: number): string => new Date(at).toISOString();
const lines = (rows: readonly unknown[]): string => rows.map(row => `${JSON.stringify(row)}\n`).join('');
const plain = { properties: [], revenue: null, traits: null, duration: 0, scroll: null };

/** Our own, with addresses and user agents. */
const ndjson: PastFormat = {
  ...{ name: 'ndjson', naming: 'address', stepMs: 1 },
  told: said => said,
  texts: texts => texts,
  write: hits =>
    lines(
      hits.map(({ at, said }) => {
        return { at: iso(at), ip: said.person.address, ua: said.person.agent.text, hit: wireHit(said) };
      }),
    ),
};

/** Our own, with what somebody else knew of visitors. */
const ndjsonTold: PastFormat = {
  ...{ name: 'ndjson told', naming: 'lasting', stepMs: 1 },
  told: said => said,
  texts: texts => texts,
  write: hits =>
    lines(
      hits.map(({ at, said }) => {
        const { agent, place, id } = said.person;
        const { text: _, ...names } = agent;
        return { at: iso(at), visitor: id, ...names, ...place, hit: wireHit(said) };
      }),
    ),
};

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const logTime = (at: number): string => {
  const [, year, month, day, clock] = /^(\d+)-(\d+)-(\d+)T([\d:]+)/.exec(iso(at))!;
  return `${day}/${months[Number(month) - 1]}/${year}:${clock} +0000`;
};

const combined: PastFormat = {
  ...{ name: 'combined', naming: 'address', stepMs: 1000 },
  told: (said, hostname) => (said.type === 'pageview' ? { ...said, ...plain, hostname, title: null } : null),
  texts: texts => ({ ...texts, language: null, width: 0, height: 0 }),
  write: hits =>
    hits
      .map(({ at, said }) => {
        const { person, referrer } = said;
        const target = addressOf(said).replace(/^https:..[^/]*/, '');
        const from = referrer === null ? '-' : `https://www.${referrer}/x`;
        return `${person.address} - - [${logTime(at)}] "GET ${target} HTTP/1.1" 200 99 "${from}" "${person.agent.text}"\n`;
      })
      .join(''),
};

export const pastFormats: readonly PastFormat[] = [ndjson, ndjsonTold, combined];

/** The visit's texts in a format that knows of no place. */
export const withoutPlace = (texts: VisitTexts): VisitTexts => ({ ...texts, ...nowhere });
