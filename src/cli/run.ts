/**
 * Runs one command: reads the arguments, opens the database, prints the result. Every error becomes
 * one sentence on stderr.
 */
import { type GivenFlags, readSetting, SettingError } from '../config.ts';
import { ValueError } from '../model/values.ts';
import { version } from '../package-root.ts';
import { databaseExists, lockDataDir, StoreError } from '../store/database.ts';
import { refuseFollower } from '../store/follower.ts';
import { openStore } from '../store/moved-hits/put-back.ts';
import { parseArguments } from './arguments.ts';
import { type Command, CommandError, type CommandInput, type Context, type Result, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { helpPage } from './help.ts';

const exitCodes = { done: 0, failed: 1, wrongUsage: 2, interrupted: 130 } as const;

/** Gives the exit code. Never throws. */
export const run = async (context: Context): Promise<number> => {
  try {
    const parsed = parseArguments(context.args, commands);
    if (parsed.kind === 'help') context.stdout.write(helpPage(parsed.topic, commands));
    else if (parsed.kind === 'version') context.stdout.write(`daybook ${version}\n`);
    else {
      const result = await execute(context, parsed.command, parsed.input);
      print(context, parsed.input.flags, result);
      return result?.exitCode ?? exitCodes.done;
    }
    return exitCodes.done;
  } catch (error) {
    context.stderr.write(`daybook: ${sentenceOf(error)}\n`);
    // An error that no operator can have caused may be a fault of the program: whoever looks for it
    // wants to know where.
    if (!isExpected(error) && context.env.DAYBOOK_DEBUG) context.stderr.write(`${(error as Error).stack}\n`);
    if (wrongUsage.some(kind => error instanceof kind)) return exitCodes.wrongUsage;
    return context.signal.aborted ? exitCodes.interrupted : exitCodes.failed;
  }
};

/** Opens what the command asks for, and closes it in every case. */
const execute = async (context: Context, command: Command, input: CommandInput): Promise<Result | undefined> => {
  const { database, exclusive } = command;
  const dataDir = readSetting('dataDir', context.env, input.flags);
  if (database !== 'create' && database !== 'none' && !databaseExists(dataDir)) {
    throw new CommandError(
      `There is no database in ${dataDir} yet: daybook site add DOMAIN makes one, --data names another directory.`,
    );
  }
  const unlock = exclusive ? lockDataDir(dataDir) : undefined;
  try {
    const db = database === 'find' || database === 'none' ? undefined : openStore(dataDir);
    try {
      if (db !== undefined && database !== 'open') refuseFollower(db);
      return await command.run({ ...context, dataDir, db }, input);
    } finally {
      db?.close();
    }
  } finally {
    unlock?.();
  }
};

const print = ({ stdout }: Context, flags: GivenFlags, result: Result | undefined): void => {
  if (result === undefined) return;
  const { text, json, failure } = result;
  stdout.write(flags.json ? `${JSON.stringify(json)}\n` : text.replace(/\n*$/, '\n'));
  if (failure !== undefined) throw new CommandError(failure);
};

/** What was typed cannot be meant. */
const wrongUsage = [UsageError, SettingError, ValueError];

const isExpected = (error: unknown): boolean =>
  [...wrongUsage, CommandError, StoreError].some(kind => error instanceof kind);

const sentenceOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const code = String((error as { code?: unknown }).code ?? '');
  return code.startsWith('SQLITE_') ? `The database reports an error: ${error.message} (${code}).` : error.message;
};
