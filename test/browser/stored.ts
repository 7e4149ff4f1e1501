/** What the program stored about a site, read from its database, with texts instead of ids. */
import { type HitType, hitTypeName, isTextCode, propertyTypes } from '../../src/model/hit.ts';
import type { Site } from '../../src/model/site.ts';
import type { Database } from '../../src/store/database.ts';
import { textReader } from '../../src/store/texts.ts';

/** A stored hit or mark with its visit. */
export interface StoredHit {
  type: HitType;
  path: string | null;
  hostname: string | null;
  title: string | null;
  query: string | null;
  event: string | null;
  durationMs: number;
  amount: number | null;
  currency: string | null;
  properties: Record<string, unknown>;
  /** Of an identify. */
  identified: string | null;
  traits: string | null;
  visitId: number;
  visitor: string;
  persistent: boolean;
  referrer: string | null;
  utmSource: string | null;
  utmCampaign: string | null;
  language: string | null;
  device: string | null;
  screen: string;
}

export type StoredVital = Record<'lcp' | 'inp' | 'cls' | 'fcp' | 'ttfb', number | null> & { path: string };

export const readStored = (db: Database, { id: siteId }: Site) => {
  const texts = textReader(db);
  const text = (id: unknown): string | null => texts.text(siteId, id as number);
  const all = (table: string, order: string): Record<string, unknown>[] =>
    db.prepare(`select * from ${table} where site_id = ? order by ${order}`).all(siteId) as Record<string, unknown>[];

  const propertiesOf = (json: string): Record<string, unknown> => {
    const cells = JSON.parse(json) as [number, number, unknown][] | number[];
    const flat = cells.flat() as number[];
    const properties: Record<string, unknown> = {};
    for (let at = 0; at + 2 < flat.length; at += 3) {
      const [key, type, value] = flat.slice(at, at + 3) as [number, number, number];
      properties[text(key)!] = isTextCode(type) ? text(value) : type === propertyTypes.boolean ? value === 1 : value;
    }
    return properties;
  };

  return {
    hits(): StoredHit[] {
      const visits = new Map(all('visit', 'id').map(visit => [visit.id, visit]));
      return all('hit', 'id').map(hit => {
        const visit = visits.get(hit.visit_id)!;
        const type = hitTypeName(hit.type as number)!;
        const cells = typeof hit.properties === 'string' ? hit.properties : '[]';
        const [identified = 0, traits = 0] = type === 'identify' ? (JSON.parse(cells) as number[]) : [];
        return {
          type,
          path: text(hit.path),
          hostname: text(hit.hostname),
          title: text(hit.title),
          query: text(hit.query),
          event: text(hit.event),
          durationMs: hit.duration as number,
          amount: hit.amount as number | null,
          currency: text(hit.currency),
          properties: type === 'identify' ? {} : propertiesOf(cells),
          identified: text(identified),
          traits: text(traits),
          visitId: visit.id as number,
          visitor: (visit.visitor as Buffer).toString('hex'),
          persistent: visit.persistent === 1,
          referrer: text(visit.referrer),
          utmSource: text(visit.utm_source),
          utmCampaign: text(visit.utm_campaign),
          language: text(visit.language),
          device: text(visit.device),
          screen: `${Math.floor((visit.screen as number) / 65536)}x${(visit.screen as number) % 65536}`,
        };
      });
    },
    vitals: (): StoredVital[] =>
      all('vital', 'id').map(row => ({ ...(row as unknown as StoredVital), path: text(row.path)! })),
    crawls: (): { name: string; path: string; crawls: number }[] =>
      all('crawl', 'name').map(row => ({
        name: text(row.name)!,
        path: text(row.path)!,
        crawls: row.crawls as number,
      })),
  };
};

/** One line per hit: its type, its event or page, its properties. */
export const linesOf = (hits: StoredHit[]): string[] =>
  hits.map(({ type, event, path, amount, currency, identified, properties }) =>
    [
      type,
      event ?? path ?? identified,
      amount === null ? null : `${amount} ${currency}`,
      Object.keys(properties).length === 0 ? null : JSON.stringify(properties),
    ]
      .filter(part => part !== null)
      .join(' '),
  );
