/** Files with an API's answers, one object over many lines, as the tables that are in them. */
import { isDataApiAnswer, reportsIn } from '../compat/ga4/answers.ts';
import { headOf, withHead } from './head.ts';
import type { Input } from './inputs.ts';
import { problemAt } from './problem.ts';

/** As much as tells what it is. */
const headBytesMin = 200;
/** An answer has 250,000 rows at most, and is read at once. */
const answerBytesMax = 128 * 1024 * 1024;

/** The inputs in an input: itself, or one for each report of an answer. Throws ImportProblem. */
export const answersIn = async (input: Input): Promise<Input[]> => {
  const bytes = input.bytes(input.isOnce ? undefined : 'look');
  const { head } = await headOf(bytes, headBytesMin);
  const isAnswer = isDataApiAnswer(head.subarray(0, headBytesMin).toString());
  if (input.isOnce) {
    const all = withHead(head, bytes);
    if (!isAnswer) return [{ ...input, bytes: () => all }];
    const text = await textOf(all, input.name);
    return inputsOf(input.name, text, async () => text);
  }
  await bytes.return(undefined);
  if (!isAnswer) return [input];
  const read = (look?: 'look'): Promise<string> => textOf(input.bytes(look), input.name);
  return inputsOf(input.name, await read('look'), read);
};

const textOf = async (bytes: AsyncIterable<Buffer>, name: string): Promise<string> => {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    if (length > answerBytesMax) throw problemAt({ file: name }, 'it is too large for an answer of an API');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
};

/** Nothing is kept of the answer: it is read again. */
const inputsOf = (name: string, text: string, read: (look?: 'look') => Promise<string>): Input[] => {
  const count = parsed(text, name).length;
  return Array.from({ length: count }, (_, i) => ({
    name: count === 1 ? name : `${name} (report ${i + 1})`,
    isOnce: false,
    async *bytes(look) {
      for (const row of parsed(await read(look), name)[i] ?? []) yield Buffer.from(`${JSON.stringify(row)}\n`);
    },
  }));
};

const parsed = (text: string, name: string): ReturnType<typeof reportsIn> => {
  try {
    return reportsIn(text);
  } catch (error) {
    throw problemAt({ file: name }, `it is not complete JSON (${(error as Error).message})`);
  }
};
