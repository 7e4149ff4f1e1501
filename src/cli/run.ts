/** Runs one command: arguments in, exit code out. Every error becomes one sentence on stderr. */
import { SettingError } from '../config.ts';
import { ValueError } from '../model/values.ts';
import { version } from '../package-root.ts';
import { StoreError } from '../store/database.ts';
import { parseArguments } from './arguments.ts';
import { CommandError, type Context, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { helpPage } from './help.ts';

const exitCodes = { done: 0, failed: 1, wrongUsage: 2, interrupted: 130 } as const;

export const run = async (context: Context): Promise<number> => {
  try {
    const parsed = parseArguments(context.args, commands);
    if (parsed.kind === 'help') context.stdout.write(helpPage(parsed.topic, commands));
    else if (parsed.kind === 'version') context.stdout.write(`daybook ${version}\n`);
    else await parsed.command.run(context, parsed.input);
    return exitCodes.done;
  } catch (error) {
    context.stderr.write(`daybook: ${sentenceOf(error)}\n`);
    // What an operator cannot have caused may be a fault of the program: whoever looks for it wants to know where.
    if (!isExpected(error) && context.env.DAYBOOK_DEBUG) context.stderr.write(`${(error as Error).stack}\n`);
    if (wrongUsage.some(kind => error instanceof kind)) return exitCodes.wrongUsage;
    return context.signal.aborted ? exitCodes.interrupted : exitCodes.failed;
  }
};

/** What was typed cannot be meant. */
const wrongUsage = [UsageError, SettingError, ValueError];

const isExpected = (error: unknown): boolean =>
  [...wrongUsage, CommandError, StoreError].some(kind => error instanceof kind);

const sentenceOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const code = String((error as { code?: unknown }).code ?? '');
  return code.startsWith('SQLITE_') ? `The database refused: ${error.message} (${code}).` : error.message;
};
