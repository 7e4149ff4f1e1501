/** Who is meant where visits are erased, recounted from hits. */
import type { NaiveSite, NaiveVisit } from './naive.ts';

const whoOf = ({ day, visitor, persistent }: NaiveVisit): string => (persistent ? visitor : `${day} ${visitor}`);
export const without = (site: NaiveSite, isMeant: (visit: NaiveVisit) => boolean): NaiveSite => {
  const who = new Set(site.filter(({ visit }) => isMeant(visit)).map(({ visit }) => whoOf(visit)));
  return site.filter(({ visit }) => !who.has(whoOf(visit)));
};
export const isCalled = (site: NaiveSite, name: string): ((visit: NaiveVisit) => boolean) => {
  const known = new Set(site.filter(({ identity }) => identity !== null).map(({ visit }) => visit));
  const nameOf = (visit: NaiveVisit) =>
    site.filter(hit => hit.visit === visit && hit.identity !== null).at(-1)!.identity!.name;
  return visit => known.has(visit) && nameOf(visit) === name;
};
