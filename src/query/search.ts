/** The search over visits (contract 7, `q`): a text that is part of one of a visit's attributes or of its visitor's id, case aside. */
import type { TextName } from '../store/day.ts';
import type { PlanContext } from './plan.ts';
import type { Selection } from './selection.ts';
import { visitorHex } from './visit-row.ts';

const searched: readonly TextName[] = [
  'identified',
  'entryPath',
  'exitPath',
  'referrer',
  'utmCampaign',
  'country',
  'region',
  'city',
  'browser',
  'os',
];

/** Whether a selected visit, given by its place, is found. Each dictionary entry is looked at once, not each visit. */
export const searchVisits = (
  { day, visits }: Selection,
  search: string,
  context: PlanContext,
): ((i: number) => boolean) => {
  const wanted = search.toLowerCase();
  const found = new Uint8Array(day.visits);
  for (const name of searched) {
    const { codes, dictionary } = day.texts(name);
    const pass = Uint8Array.from(dictionary, id => (context.text(id)?.toLowerCase().includes(wanted) ? 1 : 0));
    if (!pass.includes(1)) continue;
    for (let visit = 0; visit < found.length; visit++) found[visit]! |= pass[codes[visit]!]!;
  }
  const mayBeVisitor = /^[0-9a-f]{1,16}$/.test(wanted);
  return i => found[visits[i]!] === 1 || (mayBeVisitor && visitorHex(day, visits[i]!).includes(wanted));
};
