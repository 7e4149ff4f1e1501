/** Passwords that a file of settings gives to links. */
import type { ShareLink } from '../model/share.ts';
import { ValueError } from '../model/values.ts';
import { FileFault } from './apply.ts';
import type { FileWorld, GivenFields, Where } from './kind.ts';
import type { WantedThing } from './read-file.ts';
import { shares } from './shares.ts';

/** What keeps passwords (dashboard/passwords.ts): each takes about half a second. */
export interface PasswordRecords {
  record(password: string): Promise<string>;
  matches(password: string, record: string, patience: 'known'): Promise<boolean>;
}

/** What is there already of a thing. What is wrong with it is told when it is applied. */
const thereOf = (world: FileWorld, { kind, given }: WantedThing, where: Where): unknown => {
  try {
    return kind.find(world, where, given)?.thing;
  } catch (error) {
    if (error instanceof ValueError) return undefined;
    throw error;
  }
};

/**
 * Makes a record of each password that a file gives to a link, or keeps the one that is of it
 * already: that takes too long for a transaction. Throws FileFault.
 */
export const recordPasswords = async (
  world: Omit<FileWorld, 'passwordRecords'>,
  wanted: readonly WantedThing[],
  passwords: PasswordRecords,
  passwordsMax: number,
): Promise<FileWorld['passwordRecords']> => {
  const records = new Map<GivenFields, string>();
  const known = { ...world, passwordRecords: records };
  const record = async ({ given: { password }, given, at }: WantedThing, was: ShareLink | undefined) => {
    if (typeof password !== 'string') return;
    if (records.size === passwordsMax)
      throw new FileFault({ ...at, sentence: `A file has at most ${passwordsMax} passwords.` });
    const isSame = was?.password != null && (await passwords.matches(password, was.password, 'known'));
    records.set(given, isSame ? was.password! : await passwords.record(password));
  };
  /** `where` is undefined in what is still to be made. */
  const walk = async (things: readonly WantedThing[], where: Where | undefined): Promise<void> => {
    for (const one of things) {
      if (one.kind !== shares && one.inside.length === 0) continue;
      const thing = where && thereOf(known, one, where);
      if (one.kind === shares) await record(one, thing as ShareLink | undefined);
      else await walk(one.inside, thing === undefined ? undefined : one.kind.whereInside(thing, where!));
    }
  };
  await walk(wanted, { account: null, site: null });
  return records;
};
