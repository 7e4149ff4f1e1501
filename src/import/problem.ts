/** What is wrong with a file, for the one who brought it. */

/** The message is one sentence that names the file, and the line and column where there are any. */
export class ImportProblem extends Error {}

export interface FilePlace {
  file: string;
  /** From 1. */
  line?: number;
  /** In place of a line, the number of an entry in a list, from 1. */
  entry?: number;
  /** Name or number of a column. */
  column?: string | number | undefined;
}

export const problemAt = ({ file, line, entry, column }: FilePlace, what: string): ImportProblem => {
  const named = Object.entries({ line, entry, column }).filter(([, value]) => value !== undefined);
  return new ImportProblem(`${[file, ...named.map(([name, value]) => `${name} ${value}`)].join(', ')}: ${what}.`);
};
