/**
 * A file of settings as the body of a request: what a key may do in its teams, done together. It is
 * like many PUTs: it locks nothing, and nothing goes because it is not named.
 */
import { type By, type ChangeParts, noteBy } from '../api/changes/by.ts';
import { refuseLonger } from '../api/changes/key-changes.ts';
import { refuseAbove } from '../api/changes/place.ts';
import type { AppliedBy, SettingsApplier } from '../api/settings-applier.ts';
import { HttpError } from '../http/errors.ts';
import type { MemberRole } from '../model/person.ts';
import type { Account } from '../model/site.ts';
import { serialQueue } from '../store/serial-queue.ts';
import { applySettings, FileFault, type Guard } from './apply.ts';
import { recordPasswords } from './passwords.ts';
import { notedChanges, type ProvisioningParts, worldOf } from './provision.ts';
import { type Fault, type FileLimits, readSettingsFile } from './read-file.ts';

/** A body is small, but what it refers to with * could make much of it. */
const limits: FileLimits = { things: 2000, values: 20_000, passwords: 10 };
/** Each may take some seconds of passwords. */
const waitingMax = 8;
const faultsTold = 20;

/** One body at a time, since passwords take long. */
export const createSettingsApplier = (
  parts: ProvisioningParts,
  changes: Pick<ChangeParts, 'auditor' | 'directory'>,
): SettingsApplier => {
  const inTurn = serialQueue();
  let waiting = 0;
  return {
    async apply(text, on) {
      if (waiting >= waitingMax) throw new HttpError('provision-busy');
      waiting++;
      return inTurn(() => applyBody(parts, changes, text, on)).finally(() => waiting--);
    },
  };
};

const applyBody = async (
  parts: ProvisioningParts,
  changed: Pick<ChangeParts, 'auditor' | 'directory'>,
  text: string,
  { isDry, ...on }: AppliedBy,
) => {
  const read = await readSettingsFile(text, null, limits);
  if ('faults' in read) throw badBody(read.faults);
  const { guard, teams } = keyGuard(on);
  const world = { ...worldOf(parts), maker: ({ name }: Account) => makerOf(teams.get(name)!) };
  try {
    // What is refused costs no password, and nobody learns by time whether another team has it.
    applySettings({ ...world, passwordRecords: new Map(), isDry: true, file: '', guard }, read.wanted);
    const passwordRecords = await recordPasswords(world, read.wanted, parts.passwords, limits.passwords);
    const changes = applySettings({ ...world, passwordRecords, isDry, file: '', guard }, read.wanted);
    if (isDry || changes.length === 0) return changes;
    changed.directory.reload();
    for (const [name, one] of teams) {
      const own = changes.filter(({ path }) => path === `teams ${name}` || path.startsWith(`teams ${name} / `));
      if (own.length > 0) noteBy(changed, one, 'provisioned', name, notedChanges(own));
    }
    return changes;
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    throw error.cause instanceof HttpError ? badBody([error.fault], error.cause) : badBody([error.fault]);
  }
};

const makerOf = ({ person: { id, email } }: By) => ({ id, name: email });

/** The first fault as a sentence, and all with their places. */
const badBody = (faults: readonly Fault[], cause?: HttpError): HttpError => {
  const [{ line, column, sentence }] = faults as [Fault];
  const field = cause?.field === undefined ? {} : { field: cause.field };
  return new HttpError(cause?.code ?? 'bad-settings', {
    ...{ error: `${line}:${column}: ${sentence}`, ...field, faults: faults.slice(0, faultsTold) },
  });
};

/** What a key may not do although it may `manage`, and the teams that it changes by their names. */
const keyGuard = ({ by: byIn, endsAt }: Omit<AppliedBy, 'isDry'>): { guard: Guard; teams: ReadonlyMap<string, By> } => {
  const teams = new Map<string, By>();
  const guard: Guard = ({ kind, given }, { account }, found, differing) => {
    if (kind.plural === 'teams') {
      // Who does not reach a team does not learn whether there is one.
      const team = found?.thing as Account | undefined;
      const by = team && byIn(team.uuid);
      // A team may be called as another one's id is.
      if (by === undefined || by.grant.account.id !== team!.id) throw new HttpError('app-no-team');
      teams.set(given.name as string, by);
      if (differing.length > 0)
        throw new HttpError('not-allowed', { error: 'Plans and rules of teams are not for keys.' });
      return;
    }
    const by = account && teams.get(account.name);
    if (by == null)
      throw new HttpError('not-allowed', { error: `A body holds no ${kind.plural}: they are the server’s.` });
    if (differing.length === 0 && found !== undefined) return;
    if (kind.plural === 'members') refuseMember(by, found?.values, given);
    if (kind.plural === 'keys') {
      const expires = (given.expires ?? found?.values.expires ?? null) as number | null;
      refuseLonger(expires, endsAt, 'expires', end => `: give expires, at most ${end.slice(0, 10)}`);
    }
    // A key may be an operator's, and would then let another one do more than it may.
    if (kind.plural === 'keys' && found !== undefined && !differing.includes('value'))
      throw new HttpError('not-allowed', { error: 'A key is not changed: revoke it, and make another.' });
  };
  return { guard, teams };
};

/** Nobody becomes a member without saying so. */
const refuseMember = (by: By, was: { role?: unknown } | undefined, given: { role?: unknown }): void => {
  if (was === undefined)
    throw new HttpError('app-no-member', { error: 'Nobody has this e-mail here: invite them first.', field: 'email' });
  refuseAbove(by, was.role as MemberRole, (given.role ?? was.role) as MemberRole);
};
