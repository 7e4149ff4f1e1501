/**
 * What there is to say of a kind of things in a file of settings: its fields, how one is read, and
 * how it is found, made, changed and removed.
 */
import type { AlertStores } from '../api/alerts/changes.ts';
import type { ChangeParts } from '../api/changes/by.ts';
import type { ReportChanger } from '../api/report-keeper.ts';
import type { Account, Site } from '../model/site.ts';
import type { Stores } from '../store/stores.ts';

/** What a file is applied with. */
export interface FileWorld extends Stores, AlertStores, Pick<ChangeParts, 'db' | 'now'> {
  reports: ReportChanger;
  /** Who makes what a team gets: a person's id, if they have one, and the name that is shown. */
  maker: (team: Account) => { id: number | null; name: string };
  /** Of the passwords that the file gives, by the fields among which each stands. */
  passwordRecords: ReadonlyMap<GivenFields, string>;
}

/** - `number` is a number, which is read as its text; `value` is whatever `read` takes. */
type Shape = 'text' | 'list' | 'number' | 'switch' | 'value';

export interface FileField {
  shape: Shape;
  /** Throws ValueError. */
  read: (typed: never) => unknown;
  /** Its value is shown nowhere. */
  isSecret?: true;
}

/** Values of fields, as `read` gave them. */
export type GivenFields = Readonly<Record<string, unknown>>;

/** In which team and site a thing is. */
export interface Where {
  account: Account | null;
  site: Site | null;
}

export interface FileKind {
  /** The key of its list in the file. */
  plural: string;
  /** The fields that name one of it. */
  key: readonly string[];
  fields: Readonly<Record<string, FileField>>;
  /** Fields that it cannot be made without. */
  needs: readonly string[];
  /** The file never removes it: it holds hits, or what holds them. */
  isKept: boolean;
  /** It refers to things that are made after what it is in, so it is made when all else is. */
  isLate: boolean;
  /** What stands inside one. */
  inside: readonly FileKind[];
  /** The thing that is there, and its fields as they are; undefined for none. */
  find(world: FileWorld, where: Where, given: GivenFields): { thing: unknown; values: GivenFields } | undefined;
  /** Makes it, or changes `was`. Gives the thing. Throws ValueError, HttpError and StoreError. */
  set(world: FileWorld, where: Where, given: GivenFields, was: unknown): unknown;
  /** Removes one that is there, by what `find` gave and its key. */
  remove(world: FileWorld, where: Where, was: unknown, key: readonly string[]): void;
  whereInside(thing: unknown, where: Where): Where;
}

interface FileKindRow<T>
  extends Partial<Pick<FileKind, 'needs' | 'isKept' | 'isLate' | 'inside'>>,
    Pick<FileKind, 'plural' | 'key' | 'fields'> {
  find(world: FileWorld, where: Where, given: GivenFields): T | undefined;
  values(thing: T, world: FileWorld, given: GivenFields, where: Where): GivenFields;
  set(world: FileWorld, where: Where, given: GivenFields, was: T | undefined): T | undefined;
  remove?(world: FileWorld, where: Where, was: T, key: readonly string[]): void;
  whereInside?(thing: T, where: Where): Where;
}

export const kind = <T>(row: FileKindRow<T>): FileKind => ({
  ...{
    needs: [],
    isKept: false,
    isLate: false,
    inside: [],
    remove() {},
    whereInside: (_: unknown, where: Where) => where,
  },
  ...(row as unknown as FileKind),
  find(world, where, given) {
    const thing = row.find(world, where, given);
    return thing === undefined ? undefined : { thing, values: row.values(thing, world, given, where) };
  },
});

const shaped =
  <T>(shape: Shape) =>
  (read: (typed: T) => unknown): FileField => ({ shape, read: read as FileField['read'] });
export const text = shaped<string>('text');
export const number = shaped<string>('number');
export const list = shaped<readonly string[]>('list');
export const anyValue = shaped<unknown>('value');
export const onOff = shaped<boolean>('switch')(typed => typed);

/** What is given of some fields. */
export const only = (given: GivenFields, names: readonly string[]): GivenFields =>
  Object.fromEntries(names.filter(name => name in given).map(name => [name, given[name]]));

/** Whether two values are the same, as JSON has them. */
export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
