/** A row of the API's table of routes. */

import type { Body } from '../http/json-body.ts';
import type { Reply } from '../http/reply.ts';
import type { PathParameters, Route } from '../http/router.ts';
import type { Grant } from '../model/grant.ts';
import type { Right } from '../model/rights.ts';
import type { Rollup, Site } from '../model/site.ts';
import type { Notes } from '../store/notes.ts';
import type { AlertStores } from './alerts/changes.ts';
import type { Run } from './ask.ts';
import type { Caller } from './auth.ts';
import type { By, ChangeParts } from './changes/by.ts';
import type { ReadableSite } from './endpoint.ts';
import type { ReportKeeper } from './report-keeper.ts';
import type { OwnParameters } from './request/parameters.ts';
import type { Schema } from './schema.ts';
import type { SettingsApplier } from './settings-applier.ts';

/**
 * How a path is answered. Only a program with an API key may use another method than GET. Both
 * functions may throw HttpError; the second one ParameterError too.
 */
export type ApiRoute = Route & { method: Exclude<Route['method'], 'OPTIONS'> } & (
    | { access: 'anybody'; answer(search: URLSearchParams): Reply }
    | {
        /** Whoever is known may ask; or, of those with an API key, only accounts on a paid plan. */
        access: 'any-plan' | 'paid-plan';
        /** What it takes; reading where nothing is said. */
        right?: Right;
        /** Whether the token of a public dashboard may stand in the address, as `?share=`. */
        takesShare?: true;
        /**
         * Whether only a program with a key or a page of this host may ask so: a link on another
         * page could make somebody who is signed in ask for it.
         */
        isUnsafeToLink?(search: URLSearchParams): boolean;
        /** Whether the audit tells of what it gives. */
        isExport?: true;
        answer(call: ApiCall): Reply | Promise<Reply>;
      }
  );

export type ApiTag =
  | 'sites'
  | 'reports'
  | 'visits'
  | 'records'
  | 'definitions'
  | 'notes'
  | 'alerts'
  | 'teams'
  | 'description';

/** How a path is described. */
export type DescribedRoute = ApiRoute & {
  /** The operation's name in programs that are made from the description. */
  name: string;
  /** What it is about, by which readers of the description group operations. */
  tag: ApiTag;
  summary: string;
  /** Parameters besides the period and the filters. */
  own?: OwnParameters;
  /** The body that it takes. */
  takes?: Schema;
  /** Whether it may make something, which is answered 201 with the same body. */
  makes?: true;
  /** What can be filtered by. Missing for a path that takes neither filters nor a period. */
  fields?: readonly string[];
  /** The answer 200 in the words of OpenAPI. */
  response: { content: Readonly<Record<string, { schema: Schema; examples?: object }>>; headers?: Schema };
};

/** A request of somebody who may ask. */
export interface ApiCall {
  search: URLSearchParams;
  /**
   * The site that the path names, as the caller may read it, and queries about it. Throws HttpError
   * when there is none.
   */
  site(): { view: ReadableSite; run: Run; grant: Grant };
  /** All sites that the caller may read, by domain; no rollups. */
  sites(): Site[];
  /** All rollups that the caller may read, by name, and the sites of each. */
  rollups(): { rollup: Rollup; sites: Site[] }[];
  /** Segments of the path by their names. */
  parameters: PathParameters;
  /** The JSON of the body; undefined where there is none. Throws HttpError. */
  body(): Promise<Body>;
  /** The body as it came. Throws HttpError. */
  text(): Promise<string>;
  /** What applies settings. Throws HttpError where this server changes nothing. */
  settings(): SettingsApplier;
  /** What changes work with. Throws HttpError where this server changes nothing. */
  changes(): ChangeParts;
  /**
   * A key as the one who makes a change, in a team by its name or id, else in its own. Throws
   * HttpError for a team that it does not reach.
   */
  by(team?: string): By;
  /** A key that an operator made, who may make teams. Throws HttpError for any other. */
  operator(): By;
  /** Who asks. */
  caller: Caller;
  /** Aborts when they are gone. */
  signal: AbortSignal;
  /** What writes notes. */
  notes: Notes;
  /**
   * Alerts and channels. Throws HttpError on a server that only answers, and for those who look at
   * a public page: what a team watches is not for them.
   */
  alerting(): AlertStores;
  /** UTC milliseconds. */
  now(): number;
  /** What makes reports. Throws HttpError on a server that only answers. */
  reports(): ReportKeeper;
  /** The reply to an error, for answers that hold several replies. */
  replyTo(error: unknown): Reply & { body: string };
}
