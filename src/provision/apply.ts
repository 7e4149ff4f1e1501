/**
 * Makes what a file of settings wants, in one transaction: the whole file or nothing. What is there
 * already is found by its natural key, and fields that the file leaves out stay as they are.
 */

import { refuseFields } from '../api/changes/managed.ts';
import type { SettingsChange } from '../api/settings-applier.ts';
import { HttpError } from '../http/errors.ts';
import { suggestion } from '../model/nearest.ts';
import { ValueError } from '../model/values.ts';
import { refuseLastOwner } from '../store/accounts/last-owner.ts';
import { StoreError } from '../store/database.ts';
import type { Provisioned, ProvisionedRow } from '../store/provisioned.ts';
import { type FileKind, type FileWorld, type GivenFields, isSame, type Where } from './kind.ts';
import { kinds } from './kinds.ts';
import { type Fault, keyOf, type WantedThing } from './read-file.ts';

/** It cannot be done; nothing was changed. */
export class FileFault extends StoreError {
  readonly fault: Fault;

  constructor(fault: Fault, cause?: Error) {
    super(fault.sentence, { cause });
    this.fault = fault;
  }
}

/** Takes a transaction back that was only tried. */
class Tried extends Error {}

/**
 * Looks at each thing before it is made or changed: what is there of it, and which fields differ.
 * Throws HttpError where that may not be.
 */
export type Guard = (
  wanted: WantedThing,
  where: Where,
  found: ReturnType<FileKind['find']>,
  differing: readonly string[],
) => void;

export interface Applied extends FileWorld {
  provisioned: Provisioned;
  /** The file, as the page names it. */
  file: string;
  /** Nothing is changed: what would be is told. */
  isDry: boolean;
  /** Who applies it may not do all, and what a file of the server sets is not theirs. */
  guard?: Guard;
}

/** Gives what changed. Throws FileFault where something cannot be done. */
export const applySettings = (world: Applied, wanted: readonly WantedThing[]): SettingsChange[] => {
  let changes: SettingsChange[] = [];
  const work = world.db.transaction(() => {
    const run = new Application(world);
    run.all(wanted, { account: null, site: null }, '');
    run.late();
    if (world.guard === undefined) {
      run.removeOthers();
      run.refuseOwnerless(wanted);
    }
    changes = run.changes;
    if (world.isDry) throw new Tried();
    if (world.guard === undefined) world.provisioned.replace(run.rows);
  });
  try {
    work.immediate();
  } catch (error) {
    if (!(error instanceof Tried)) throw error;
  }
  return changes;
};

const isExpected = (error: unknown): error is Error & { field?: string } =>
  [ValueError, HttpError, StoreError].some(kind => error instanceof kind);

/** What is wrong, with the value where the answer to a request has it beside the text. */
const sentenceOf = (error: Error): string => {
  const body =
    error instanceof HttpError ? (JSON.parse(error.reply.body) as { value?: string; allowed?: string[] }) : {};
  const said = body.value === undefined ? error.message : `${error.message}: ${body.value}`;
  const end = /[.?]$/.test(said) ? said : `${said}.`;
  return body.value === undefined ? end : end + suggestion(body.value, body.allowed ?? []);
};

const ownerOf = ({ account, site }: Where): string => site?.uuid ?? account?.uuid ?? '';
const rowId = ({ kind, owner, key }: Pick<ProvisionedRow, 'kind' | 'owner' | 'key'>): string =>
  JSON.stringify([kind, owner, key]);

class Application {
  readonly changes: SettingsChange[] = [];
  readonly rows: ProvisionedRow[] = [];
  private readonly world: Applied;
  private readonly before: ReadonlyMap<string, ProvisionedRow>;
  private readonly waiting: (() => void)[] = [];

  constructor(world: Applied) {
    this.world = world;
    this.before = new Map(world.provisioned.list().map(row => [rowId(row), row]));
  }

  all(wanted: readonly WantedThing[], where: Where, path: string): void {
    for (const one of wanted) {
      if (one.kind.isLate) this.waiting.push(() => this.blamed(one, where, path));
      else this.blamed(one, where, path);
    }
  }

  /** What refers to others, once all others are there. */
  late(): void {
    for (const work of this.waiting) work();
  }

  private blamed(one: WantedThing, where: Where, path: string): void {
    try {
      this.one(one, where, path);
    } catch (error) {
      if (error instanceof FileFault || !isExpected(error)) throw error;
      throw new FileFault({ ...(one.places[error.field ?? ''] ?? one.at), sentence: sentenceOf(error) }, error);
    }
  }

  private one(wanted: WantedThing, where: Where, above: string): void {
    const { kind, given, inside } = wanted;
    const key = keyOf(wanted);
    const path = `${above}${kind.plural} ${key.join(' ')}`;
    const found = kind.find(this.world, where, given);
    const fields = Object.keys(given).filter(name => !kind.key.includes(name) || name in (found?.values ?? {}));
    const differing = fields.filter(name => found === undefined || !isSame(found.values[name], given[name]));
    if (this.world.guard !== undefined) {
      this.world.guard(wanted, where, found, differing);
      this.refuseManaged(wanted, where, found?.values ?? {}, differing);
    }
    let thing = found?.thing;
    if (found === undefined || differing.length > 0) {
      if (found === undefined) this.refuseLacking(wanted);
      thing = kind.set(this.world, where, given, found?.thing);
      const shown = (name: string) =>
        kind.fields[name]!.isSecret ? (['…', '…'] as const) : ([found?.values[name] ?? null, given[name]] as const);
      this.changes.push({
        action: found === undefined ? 'add' : 'change',
        path,
        fields: Object.fromEntries(differing.map(name => [name, shown(name)])),
      });
    }
    const row = { kind: kind.plural, owner: ownerOf(where), key };
    const isMade = found === undefined || this.before.get(rowId(row))?.isMade === true;
    this.rows.push({ ...row, fields: Object.keys(given), isMade, file: this.world.file });
    this.all(inside, kind.whereInside(thing, where), `${path} / `);
  }

  /** Throws HttpError for fields that a file of the server sets. */
  private refuseManaged(
    { kind, given }: WantedThing,
    where: Where,
    was: GivenFields,
    differing: readonly string[],
  ): void {
    // A site may get another name.
    const key = kind.key.map(name => String(was[name] ?? given[name]));
    const row = this.before.get(rowId({ kind: kind.plural, owner: ownerOf(where), key }));
    refuseFields(row, differing);
  }

  private refuseLacking({ kind, given, at }: WantedThing): void {
    const missing = kind.needs.filter(name => !(name in given));
    if (missing.length > 0)
      throw new FileFault({ ...at, sentence: `What is new in ${kind.plural} needs ${missing.join(', ')}.` });
  }

  /** Removes what an earlier file made and this one does not name, but never what holds hits. */
  removeOthers(): void {
    const named = new Set(this.rows.map(rowId));
    for (const row of this.before.values()) {
      if (!row.isMade || named.has(rowId(row))) continue;
      const kind = kindNamed(row.kind);
      const where = this.whereOf(row.owner, kind);
      if (kind === undefined || kind.isKept || where === undefined) continue;
      const given = Object.fromEntries(kind.key.map((name, i) => [name, row.key[i]]));
      const found = kind.find(this.world, where, given);
      if (found === undefined) continue;
      kind.remove(this.world, where, found.thing, row.key);
      this.changes.push({ action: 'remove', path: `${row.kind} ${row.key.join(' ')}`, fields: {} });
    }
  }

  /** Undefined where the team or site has gone. */
  private whereOf(owner: string, kind: FileKind | undefined): Where | undefined {
    if (owner === '') return { account: null, site: null };
    const { accounts, sites } = this.world;
    const site = sites.withId(owner) ?? null;
    const account = accounts.list().find(({ uuid, id }) => uuid === owner || id === site?.accountId) ?? null;
    return account === null || kind === undefined ? undefined : { account, site };
  }

  /** A team that has members keeps an owner. */
  refuseOwnerless(wanted: readonly WantedThing[]): void {
    const { db, accounts, members } = this.world;
    for (const { id, name } of accounts.list()) {
      if (members.ofAccount(id).length === 0) continue;
      const at = wanted.find(({ kind, given }) => kind.plural === 'teams' && given.name === name)?.at;
      refuseLastOwner(
        db,
        id,
        () => new FileFault({ line: 1, column: 1, ...at, sentence: `The team ${name} needs an owner.` }),
      );
    }
  }
}

const kindNamed = (plural: string, among: readonly FileKind[] = kinds): FileKind | undefined =>
  among.find(kind => kind.plural === plural) ??
  among.map(({ inside }) => kindNamed(plural, inside)).find(kind => kind !== undefined);
