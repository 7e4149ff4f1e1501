/** Links to public pages in a file of settings. */
import { reading, unlessTaken } from '../api/changes/fields.ts';
import { endOfDay, lastDayOf, shareSegmentOf } from '../api/changes/share-changes.ts';
import { makeToken } from '../model/ids.ts';
import { noteDateOf } from '../model/notes.ts';
import { newShare, type ShareLink, type ShareSettings } from '../model/share.ts';
import { nameOf, passwordOf, publicPartsOf } from '../model/values.ts';
import { kind, list, only, text } from './kind.ts';

/** An empty text takes something away, as in the page. */
const unlessEmpty =
  <T>(read: (typed: string) => T) =>
  (typed: string): T | null =>
    typed === '' ? null : read(typed);

export const shares = kind<ShareLink>({
  ...{ plural: 'shares', key: ['name'] },
  fields: {
    ...{ name: text(nameOf), parts: list(publicPartsOf), segment: text(unlessEmpty(String)) },
    ...{ expires: text(unlessEmpty(noteDateOf)), password: { ...text(unlessEmpty(passwordOf)), isSecret: true } },
  },
  find: ({ shares }, { site }, { name }) => shares.ofSite(site!.id).find(share => share.name === name),
  values: ({ parts, segment, expiresAt, password }, { passwordRecords }, given, { site }) => ({
    ...{ parts, segment, expires: expiresAt === null ? null : lastDayOf(expiresAt, site!) },
    // A record is all that is known of it.
    password: password === (passwordRecords.get(given) ?? null) ? given.password : 'another',
  }),
  set({ shares, definitions, passwordRecords, now, random }, { site }, given, was) {
    const { name, segment, expires, password } = given as { name: string } & Partial<Record<string, string | null>>;
    const settings: ShareSettings = {
      ...(was ?? { ...newShare, name }),
      ...only(given, ['parts']),
      ...(segment !== undefined && {
        segment: reading('segment', () => shareSegmentOf(definitions, site!, segment ?? '')),
      }),
      // A day that is over is no fault: a file may be older than what it sets.
      ...(expires !== undefined && { expiresAt: expires === null ? null : endOfDay(expires, site!) }),
      ...(password !== undefined && { password: passwordRecords.get(given) ?? null }),
    };
    if (was === undefined) return unlessTaken('name', () => shares.add(site!.id, makeToken(random), settings, now()));
    shares.set(was.id, settings);
    return { ...was, ...settings };
  },
  remove: ({ shares }, _, { id }) => shares.remove(id),
});
