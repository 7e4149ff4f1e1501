/** What is wrong with a file, for the one who brought it. */

/** The message is one sentence that names the file, and the line and column where there are any. */
export class ImportProblem extends Error {}

export interface Place {
  file: string;
  /** From 1. */
  line?: number;
  /** Name or number of a column. */
  column?: string | number | undefined;
}

export const problemAt = ({ file, line, column }: Place, what: string): ImportProblem => {
  const where = [file, line === undefined ? null : `line ${line}`, column === undefined ? null : `column ${column}`];
  return new ImportProblem(`${where.filter(part => part !== null).join(', ')}: ${what}.`);
};
