/**
 * A tool as data: what it takes, what it gives, and how it answers. What tools take and give comes
 * from the tables of the API's endpoints, so the two cannot differ.
 */
import type { Run } from '../api/ask.ts';
import type { ReadableSite } from '../api/endpoint.ts';
import { ParameterError, unknownParameter } from '../api/request/parameters.ts';
import type { Schema } from '../api/schema.ts';
import type { Rollup, Site } from '../model/site.ts';

/** What somebody may ask for, and their rights at this moment. */
export interface Assistant {
  /** By domain, without rollups. */
  sites(): Site[];
  rollups(): { rollup: Rollup; sites: Site[] }[];
  /** The name of the team that has a site. */
  teamOf(site: Site): string;
  /** By id, public key, domain or alias. Throws HttpError. */
  site(name: string): { view: ReadableSite; run: Run };
  /** Where people reach the dashboard, without a slash at its end. */
  origin: string;
  /** The line of HTML that makes a site's pages send hits. */
  tagOf(site: Site): string;
  /** What they may do besides reading: a tool that needs more is not there for them. */
  may: ReadonlySet<ToolRight>;
  /** Adds a note on a day. Throws HttpError. */
  addNote(site: Site, note: { date: unknown; text: unknown }): object;
  /** Adds a site, or gives that of the domain. Throws HttpError. */
  addSite(given: { domain: string; timezone: string; currency: string }): Site;
  now: number;
}

/** `visits` is reading of single visits, which may name persons. */
export type ToolRight = 'visits' | WritingRight;
export type WritingRight = 'notes' | 'sites';

export type Arguments = Readonly<Record<string, unknown>>;

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** JSON Schema of an object. */
  takes: Schema;
  gives: Schema;
  needs?: ToolRight;
  /** Whether it changes something. */
  writes?: true;
  /**
   * Is given no names but those that it takes. Throws HttpError, and ParameterError for what the
   * caller can mend.
   */
  answer(assistant: Assistant, given: Arguments): object | Promise<object>;
}

/** Throws ParameterError for a name that a tool does not take. */
export const refuseUnknown = (given: Arguments, takes: Schema): void => {
  const known = Object.keys(takes.properties as object);
  for (const name of Object.keys(given)) if (!known.includes(name)) throw unknownParameter(name, known);
};

/** A text that has to be there. Throws ParameterError. */
export const textOf = (given: Arguments, name: string): string => {
  const value = given[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new ParameterError({ error: value === undefined ? 'missing parameter' : 'not a text', parameter: name });
};
