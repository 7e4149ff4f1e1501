/**
 * What the browser app and the dashboard's server say to each other, beyond the numbers, which come
 * from /api/v1, /api/ext and /api/export. These are types alone, so both sides import them.
 *
 * **Pages.** Every page is the same small shell; the app sees in `location` which one it is. The
 * shell carries a `State` as JSON in `<script type="application/json" id="state">`, so the first
 * paint waits for no request. The server answers each path so:
 *
 *     /                   to /sign-in or the only site; else the shell with a list of sites
 *     /sign-in            the shell, then `?next=` if that is a path (one slash first, not two),
 *                         else /; to / when signed in
 *     /first-run          the shell; the one-time token stands behind `#`, so no log has it
 *     /set-password       likewise, for the link that `daybook account link NAME` prints
 *     /invitation         likewise, for an invitation to a team
 *     /sites/:site/...    the shell; `:site` is a domain, an id or a public key; else to /sign-in
 *     /settings/...       likewise
 *     /oauth/authorize    likewise: what a program asks for stands in the query
 *     /share/:token/...   the shell, for anybody, with `state.share`; null and 404 when withdrawn
 *     any other           404 and the shell, for a browser that asks for a page
 *
 * **Who asks.** Browsers send the sign-in cookie to /app and /api by themselves. A public page has
 * no cookie to rely on: its app sends `authorization: Share <token>` with every request to /api,
 * and its links to /api/export carry `?share=<token>`. Such a token reads its own site only, no
 * single visits of it (403), nothing else that its link does not show (403), and nothing under
 * /app. Where the link has a password, it also takes the cookie that the password gave.
 *
 * **Requests.** GET reads, POST changes. A POST carries a JSON object with `content-type:
 * application/json`, `{}` when there is nothing to say, and comes from a page of this host.
 * Instants are ISO 8601 with Z. Every answer that is not 2xx is a `Failure`.
 */
import type { alertJson, alertList, channelJson, channelList } from '../api/alerts/changes.ts';
import type { TriedAnswer } from '../api/alerts/try.ts';
import type { auditView } from '../api/changes/auditor.ts';
import type { keyView } from '../api/changes/key-changes.ts';
import type { ReportRecipientView, ReportView } from '../api/report-keeper.ts';
import type { ImportReport } from '../import/import-report.ts';
import type { ChannelKind } from '../model/alerts/channel-kinds.ts';
import type { AlertRule } from '../model/alerts/kinds.ts';
import type { DefinitionKind, Funnel, Goal, Segment } from '../model/definitions.ts';
import type { Language, LocaleChoice } from '../model/locale.ts';
import type { NodeState } from '../model/node-state.ts';
import type { MemberRole } from '../model/person.ts';
import type { HideablePart, PublicPart } from '../model/public-parts.ts';
import type { Right } from '../model/rights.ts';
import type { KeyScope } from '../model/scopes.ts';
import type { OwnersSite, Plan } from '../model/site.ts';
import type { ImportTotals } from '../store/imports/imports.ts';

export type { ImportReport, ImportTotals, ReportRecipientView, ReportView };

/** What the shell carries. `me` and `share` null: somebody who is not signed in. */
export interface State {
  /** What the browser asks for; an account may have chosen another. */
  language: Language;
  me: Me | null;
  share: SharedSite | null;
  /** A public page whose password was not given. */
  isLocked?: true;
  ways: SignInWays;
}

/** What people can sign in with on this server. */
export interface SignInWays {
  password: boolean;
  passkey: boolean;
  /** What the provider is called, at `/sign-in/oidc?next=…`; null where there is none. */
  provider: string | null;
}

/** `GET /app/me`: who is signed in, and all sites that they may read. 401 when nobody is. */
export interface Me {
  /** A team asks for a second factor: until they have one, they see their settings alone. */
  lacksFactor: boolean;
  person: PersonView;
  /** Those that they have been in for longest first. */
  teams: TeamView[];
  /** By team, and by domain. */
  sites: SiteView[];
}

export interface PersonView {
  id: string;
  email: string;
  name: string;
  locale: LocaleChoice;
  /** May make teams, and sees the servers. */
  isOperator: boolean;
}

/** A team as one of its members sees it. */
export interface TeamView {
  id: string;
  name: string;
  role: MemberRole;
  rights: Right[];
  /** What the member does not see of any site. */
  hidden: HideablePart[];
  plan: Plan;
  /** Whether its members need a second factor. */
  requireSecondFactor: boolean;
  /** How many days back the plan reads; null without bound. */
  retentionDays: number | null;
}

/** A site as a member of its team sees it: settings are empty where they may not change them. */
export interface SiteView extends OwnersSite {
  /** Id of the team. */
  team: string;
  /** What the person does not see of it. */
  hidden: HideablePart[];
  isRollup: boolean;
  /** Of a rollup, whose name stands as its domain, the ids of its sites; null for a site. */
  members: string[] | null;
  /** Settings that a file sets, and its name: nobody changes them here. Null where none does. */
  managed: { file: string; fields: string[] } | null;
  /** The HTML to put into pages. */
  tag: string;
}

/** The site of a public page, as strangers see it. `id` is what /api/v1/sites/:id wants. */
export interface SharedSite
  extends Pick<SiteView, 'id' | 'domain' | 'timezone' | 'currency' | 'identityMode' | 'hidden' | 'isRollup'> {
  /** All its numbers are of a part of the site's hits. */
  isOfSegment?: true;
}

/**
 * Any answer that is not 2xx:
 *
 *     400  a value cannot be used: `field` names it
 *     401  not signed in; from /app/sign-in, the wrong e-mail or password
 *     403  not from a page of this host, or more than the person's role allows
 *     404  no such path, site, key, or link; sites of other accounts too
 *     405, 413, 415  not a request of the app
 *     409  already in use: `field` names it
 *     429  too many attempts, 503 too many at once: `retryAfterSeconds` as in `retry-after`
 *     500  a fault of the server, which its log describes
 */
export interface Failure {
  /** A sentence to show as it is. The app adds how long to wait. */
  error: string;
  /** Name of the request's field that must change. */
  field?: string;
  /** How to prove who one is. */
  ways?: ProofWay[];
  retryAfterSeconds?: number;
}

/**
 * `POST /app/sign-in`. Answers `Me` and sets the cookie; `FactorAsked` for somebody who has a
 * second factor. 401, 403 where passwords are off, 429.
 */
export interface SignIn {
  email: string;
  password: string;
}
/** Then `POST /app/sign-in/code`, `TypedCode`, within five minutes. Answers `Me`. 400, 429. */
export interface FactorAsked {
  factor: true;
}
export interface TypedCode {
  /** Of the app, or a recovery code. */
  code: string;
}

/**
 * `POST /app/sign-in/passkey/options`, `{}`, answers what the browser asks a passkey with
 * (PublicKeyCredentialRequestOptionsJSON). `POST /app/sign-in/passkey`, `GivenPasskey`, answers
 * `Me`. 400.
 */
export interface GivenPasskey {
  /** As the browser writes it: AuthenticationResponseJSON or RegistrationResponseJSON. */
  credential: object;
  /** Of a new one; by default that of the browser. */
  name?: string;
}

/**
 * Changes that an open screen is not enough for answer 403 with `ways` where somebody has not
 * proved for ten minutes who they are. `POST /app/prove`, `Proof`, or `POST /app/prove/passkey`,
 * `GivenPasskey`, after `/app/sign-in/passkey/options`, proves it, both with `DoneBody`; so does
 * `/sign-in/oidc?prove=1&next=…`. Then the same request works.
 */
export interface Proof {
  password: string;
}
export type ProofWay = 'password' | 'passkey' | 'oidc';

/**
 * `GET /app/account/factors`: what somebody can sign in with. So do the answers of `POST
 * /app/passkeys`, `GivenPasskey`, after `POST /app/passkeys/options`, `{}`; of `POST
 * /app/passkeys/:id/remove`, `{}`, 409 for the only way in; and of `POST /app/totp/remove`, `{}`.
 */
export interface Factors {
  password: boolean;
  totp: boolean;
  /** Recovery codes that were not used. */
  codesLeft: number;
  passkeys: PasskeyView[];
  /** Whether passkeys work here at all. */
  canPasskeys: boolean;
  /** What the provider is called; null where there is none. */
  provider: string | null;
  /** Whether they have signed in with it. */
  isLinked: boolean;
}
export interface PasskeyView {
  id: string;
  name: string;
  /** Whether its maker keeps a copy for other devices. */
  isBackedUp: boolean;
  createdAt: string;
  lastUsedAt: string | null;
}
/** `POST /app/totp/begin`, `{}`. Then `POST /app/totp`, `TypedCode`, answers `NewCodes`. 400. */
export interface NewTotp {
  /** To type into the app. */
  secret: string;
  /** To make a picture of for the app. */
  uri: string;
}
/** Recovery codes, shown once. `POST /app/totp/codes`, `{}`, replaces them. */
export interface NewCodes {
  codes: string[];
}

/**
 * `GET /app/account/logins`: where somebody is signed in, the last used first. `POST
 * /app/account/logins/:id/end` and `POST /app/account/logins/end-others`, `{}`, answer what is
 * left.
 */
export interface LoginList {
  data: LoginView[];
}
export interface LoginView {
  id: string;
  /** Firefox, Linux; empty where it is not known. */
  label: string;
  method: 'password' | 'passkey' | 'oidc' | 'link';
  isThis: boolean;
  /** Null for one of an earlier version. */
  begunAt: string | null;
  usedAt: string;
}

/** `POST /app/sign-out`, `{}`. Answers `SignedOut`, even when nobody is signed in. */
export interface SignedOut extends DoneBody {
  /** Where to sign out at the provider; null where there is nothing to. */
  next: string | null;
}
export interface DoneBody {
  done: true;
}

/**
 * `POST /app/link`: looks at a one-time link without using it. Answers `LinkView`; 404 when the
 * link was used, replaced, or has expired.
 */
export interface LinkToken {
  token: string;
}
export interface LinkView {
  /** Name of the account. */
  account: string;
  /** The person's e-mail so far; null for an account without an owner. */
  email: string | null;
}

/**
 * `POST /app/link/use`: sets e-mail and password, signs in (cookie), signs out everywhere else.
 * Answers `Me`, and the link stops working. At the first run the app goes on with `POST /app/sites`
 * when `me.sites` is empty. 400, 404, 409.
 */
export interface UseLink extends Revocation {
  token: string;
  email: string;
  /** At least `passwordCharsMin` characters (model/limits.ts). */
  password: string;
}

/** What a new password ends besides the other logins, where the person asks for it. */
export interface Revocation {
  /** All API keys of the teams where the person may. */
  revokeKeys?: boolean;
  /** All its public pages. */
  withdrawPages?: boolean;
}

/** `POST /app/sites`. Answers the `SiteView`, in mode hash. 400, 409. */
export interface AddSite {
  /** Id of the team; needed by who is in several. */
  team?: string;
  /** May include a scheme, port and path, which are dropped. */
  domain: string;
  /** IANA name. */
  timezone: string;
  /** ISO 4217 code. */
  currency: string;
}

/** A list of a site that a new one replaces. */
type ExclusionName = 'excludedIps' | 'excludedPaths' | 'allowedHosts' | 'excludedCountries';
type SiteListName = ExclusionName | 'aliases' | 'embedHosts' | 'leftOut';

/** `POST /app/sites/:id`: changes only what is given. Answers the `SiteView`. 400, 404, 409. */
export interface ChangeSite extends Partial<Omit<AddSite, 'team'> & Pick<OwnersSite, 'identityMode' | SiteListName>> {
  /** As typed; empty for the server's own number. */
  senderHits?: string;
  senderBurst?: string;
  keepDays?: string;
}

/**
 * `POST /app/rollups` makes several sites readable as one. Answers the `SiteView`. 400, 409.
 *
 * `POST /app/rollups/:id`, `ChangeRollup`, changes only what is given, and `POST
 * /app/rollups/:id/remove`, `{}`, removes it; its sites stay. Everything else of a rollup is found
 * where a site's is, but what is about hits themselves: 400.
 */
export interface AddRollup {
  team?: string;
  name: string;
  /** Ids of sites. */
  sites: string[];
  /** Those of the first site where they are missing. */
  timezone?: string;
  currency?: string;
}
export type ChangeRollup = Partial<Pick<AddRollup, 'name' | 'sites'>>;

/**
 * `GET /app/sites/:id/other-hosts`: the hosts that hits named lately and that the site does not
 * allow, the most hits first; of the server that answers, since it started.
 */
export interface OtherHostList {
  data: { host: string; hits: number; lastAt: string }[];
}

/**
 * `POST /app/sites/:id/reset` deletes all data of the site and keeps its settings; `POST
 * /app/sites/:id/remove` deletes the site too. Both answer `DoneBody` as soon as nobody can see the
 * data any more. 400 unless the person has typed the site's domain.
 */
export interface ConfirmSite {
  domain: string;
}

/**
 * `GET /app/nodes`: the servers of the cluster that this one is the primary of. Empty where there
 * is no cluster. 403 for all but operators.
 */
export interface NodeList {
  /**
   * Days: where the clock leapt to, and by what old days are deleted; null while it is believed.
   */
  clockLeap: { clock: string; day: string } | null;
  /** The primary, then collectors, then those that answer. */
  data: (Omit<NodeState, 'seenAt'> & { seenAt: string | null })[];
}

/**
 * `GET /app/sites/:id/shares`: the links to public pages of the site. `POST` to the same path,
 * `AddShare`, makes one; `POST …/shares/:share`, `ChangeShare`, changes only what is given; `POST
 * …/shares/:share/address`, `{}`, gives it a new address in place of the old one, and `POST
 * …/shares/:share/remove`, `{}`, removes it. All answer the `ShareList`. 400, 404, 409.
 */
export interface ShareList {
  /** In the order in which they were made. */
  data: ShareView[];
}
export interface ShareView {
  id: string;
  name: string;
  /** Absolute. */
  url: string;
  /** What it shows besides the numbers. */
  parts: PublicPart[];
  /** The name of the segment that all its numbers are of; null for all hits. */
  segment: string | null;
  hasPassword: boolean;
  /** The last day, by the site's clock; null for never. */
  expires: string | null;
  createdAt: string;
  lastUsedAt: string | null;
}
export interface AddShare {
  name: string;
  parts?: string[];
  /** Empty for none, as in the two below. */
  segment?: string;
  password?: string;
  expires?: string;
}
export type ChangeShare = Partial<AddShare>;

/**
 * `POST /app/share`: gives the password of a public page. Answers `DoneBody` and sets a cookie for
 * that page, for a day. 400, 404, 429.
 */
export interface OpenShare {
  token: string;
  password: string;
}

/**
 * `GET /app/sites/:id/removals`: rules that leave hits of the site out, and removals by earlier
 * versions. `POST` to the same path, `RemoveHits`, makes a rule, and `POST
 * /app/sites/:id/removals/:removal/undo`, `{}`, puts the hits back. Both answer the `RemovalList`,
 * in which nothing is counted. 400, 404; 409 while other work on hits is under way, where hits
 * of an earlier version have to come out of their file.
 */
export interface RemovalList {
  /** Newest first. */
  data: RemovalView[];
  /** How far hits of an earlier version are put back, while they are. */
  running: { isWaiting: boolean; done: number; of: number; hits: number } | null;
  /** Why the newest work failed, a sentence; null where it did not. */
  failure: string | null;
}
export interface RemovalView {
  /** Of a rule its number; of a removal by an earlier version `file-` and a number. */
  id: string;
  /** As people type them: `path^=/wp-; country=DE`. */
  filters: string;
  /** `2026-10-01_2026-10-07`, or `all`. */
  period: string;
  /** Null where they were not counted. */
  hits: number | null;
  createdAt: string;
  /** E-mail of who made the rule, or the account of earlier versions; null for a command. */
  by: string | null;
  /** Why, as they said it. */
  reason: string | null;
}
export interface RemoveHits {
  /** Filters and days as the query string of a question. Without days it is all time. */
  search: string;
  /** Why, at most 200 characters; it may be empty. */
  reason: string;
}

/**
 * `GET /app/sites/:id/imports`: the imports of the site. `POST` to the same path, `StartImport`,
 * begins one; `POST …/imports/stop`, `{}`, stops it. `POST …/imports/:import/undo`, `{}`, begins to
 * take one back. All answer the `ImportList`. 404; 409 while other work on hits is under way.
 */
export interface ImportList {
  /** Newest first. */
  data: ImportView[];
  /** What is under way: an import, the try of one, or taking one back. */
  running: {
    kind: 'import' | 'try' | 'undo';
    /** It waits until work of other accounts is done. */
    isWaiting: boolean;
    /** Days that are written, of so many; 0 of 0 while files are read. */
    done: number;
    of: number;
    /** Lines that are read, and how much of the files, 0 to 1; null where nobody knows. */
    lines: number;
    part: number | null;
  } | null;
  /** Why the newest work failed, a sentence; null where it did not. */
  failure: string | null;
  /** What the newest import, or the try of one, found. */
  report: ImportReport | null;
  formats: { name: string; title: string; kind: 'hits' | 'sums' }[];
  /** Of all files that wait to be imported. */
  uploadBytesMax: number;
}
/**
 * `POST /app/sites/:id/uploads`, `BeginUpload`, begins a file; `POST …/uploads/:upload/:at` with
 * bytes adds a piece of at most 1 MiB that begins at `at`. Both answer `UploadView`. 404; 413; 507.
 */
export interface BeginUpload {
  name: string;
  /** Bytes. */
  size: string;
}
export interface UploadView {
  id: string;
  /** Bytes that are there: the next piece begins here. */
  received: number;
}
export interface StartImport {
  uploads: string[];
  /** Empty for what the files tell. */
  format: string;
  /** What becomes of known rows: `leave-out` or `import`. Empty: they end the import. */
  known?: string;
  dryRun: boolean;
}
export interface ImportView {
  id: number;
  /** Names of its files. */
  file: string;
  format: string;
  /** UTC days, `2026-10-01`; null where it has no hits. */
  days: { first: string; last: string } | null;
  lines: number;
  /** What the source counts, null where it does not tell, and what Daybook counts. */
  source: ImportTotals;
  counted: ImportTotals;
  createdAt: string;
  /** False while it is under way, and where it was interrupted: then nothing of it is there. */
  isFinished: boolean;
}

/**
 * `GET /app/sites/:id/definitions`: the goals, segments and funnels of a site. `POST` to the same
 * path, `SaveDefinition`, adds one, or changes the one of that name; `POST …/definitions/remove`,
 * `RemoveDefinition`, removes one. Both answer the `DefinitionLists`. 400, 404, 409.
 */
export interface DefinitionLists {
  goals: (Goal & { name: string })[];
  segments: (Segment & { name: string })[];
  funnels: (Funnel & { name: string })[];
}
/**
 * `POST /app/mute`: what an alert is by the token in its messages, and with `hours` (1, 24 or 168)
 * no messages for so long. 404 for a token that is none.
 */
export interface MuteAlert {
  token: string;
  hours?: number;
}
export interface MuteOffer {
  name: string;
  site: string;
  isMuted: boolean;
}

/**
 * Alerts of a site are read by /api/ext. `POST /app/sites/:id/alerts`, `SaveAlert`, adds one, and
 * `POST …/alerts/:alert`, `SaveAlert`, changes one; `POST …/:alert/mute`, `MuteFor`, sends no
 * messages of it, and all answer the `AlertView`. `POST …/:alert/remove`, `{}`, removes one. `POST
 * …/alerts/try`, a `SaveAlert` without who is told, answers the `TriedAlert`. 400, 404.
 */
export type SaveAlert = AlertRule & {
  name: string;
  /** As in an address. */
  filters: string;
  /** Ids. */
  channels: number[];
  mailOwners: boolean;
  enabled: boolean;
};
export type AlertView = SaveAlert & Omit<ReturnType<typeof alertJson>, keyof SaveAlert>;
export type AlertList = Omit<ReturnType<typeof alertList>, 'data'> & { data: AlertView[] };
export interface MuteFor {
  /** 1, 24 or 168; 0 ends it. */
  hours: number;
}
export type TriedAlert = TriedAnswer;

/**
 * `GET /app/teams/:team/channels`. `POST` to the same path, `AddChannel`, and `POST
 * …/channels/:channel/secret`, `{}`, answer the `ChannelView`, with the whole secret of a webhook
 * this once. `POST …/:channel/test` and `…/:channel/remove`, `{}`. 400, 404.
 */
export type ChannelView = ReturnType<typeof channelJson>;
export type ChannelList = ReturnType<typeof channelList>;
export interface AddChannel {
  kind: ChannelKind;
  name: string;
  target: string;
  /** Empty for none. */
  secret: string;
}

/** Texts of the definition's fields, as they were typed, besides these. */
export interface SaveDefinition {
  kind: DefinitionKind;
  name: string;
  /** Renames it. */
  newName?: string;
  filters?: string;
  conditions?: string;
  /** Empty for none. */
  value?: string;
  question?: string;
}
export interface RemoveDefinition {
  kind: DefinitionKind;
  name: string;
}

/**
 * `POST /app/sites/:id/notes`, `WriteNote`, writes a note on a day of the site; `POST
 * …/notes/:note`, `WriteNote`, changes one, and `POST …/notes/:note/remove`, `{}`, removes it.
 * Notes are read by /api/ext. 400, 404.
 */
export interface WriteNote {
  /** A local day of the site, `2026-11-20`. */
  date: string;
  text: string;
}

/**
 * `GET /app/teams`, for operators: all teams of the server, without numbers. `POST`, `AddTeam`,
 * makes one, whose owner they are; `POST /app/teams/:team`, `ChangeTeam`, changes only what is
 * given, and both answer `Me`: 409 for an owner who asks for a second factor and has none. `POST
 * …/remove`, `AddTeam` with its name, ends one that has no sites. `POST …/leave`, `{}`.
 */
export interface TeamList {
  data: { id: string; name: string; createdAt: string; members: number; sites: number }[];
}
export interface AddTeam {
  name: string;
}
export interface ChangeTeam extends Partial<AddTeam> {
  requireSecondFactor?: boolean;
}

/**
 * `GET /app/persons`, for operators: everybody who signs in. `POST /app/persons/:person/disable`,
 * `{}`, keeps somebody from signing in, at once, and `POST …/enable`, `{}`, lets them in again;
 * both answer the `PersonList`. 403, 404; 409 for oneself, and for the last owner of a team.
 */
export interface PersonList {
  /** By e-mail. */
  data: ListedPerson[];
}
export interface ListedPerson extends Pick<PersonView, 'id' | 'email' | 'name' | 'isOperator'> {
  teams: { name: string; role: MemberRole }[];
  isDisabled: boolean;
  /** To the hour; null for somebody who is not signed in. */
  lastSeenAt: string | null;
}

/**
 * `GET /app/teams/:team/members`. `POST …/members/:person`, `ChangeMember`, changes what is
 * given, and `POST …/members/:person/remove`, `RemoveMember`, ends their access; all answer the
 * `MemberList`. 403 where an owner is changed by nobody who is one; 409 for the last owner.
 */
export interface MemberList {
  /** Those who have been there for longest first. */
  data: MemberView[];
  invitations: InvitationView[];
}
export interface MemberView {
  id: string;
  email: string;
  name: string;
  role: MemberRole;
  /** Ids of the only sites; null for all, those to come too. */
  sites: string[] | null;
  /** Parts that they do not see. */
  hidden: HideablePart[];
  /** May not sign in. */
  isDisabled: boolean;
  /** To the hour; null for somebody who is not signed in. */
  lastSeenAt: string | null;
}
export interface ChangeMember {
  role?: MemberRole;
  sites?: string[] | null;
  hidden?: HideablePart[];
}
export interface RemoveMember {
  /** And the keys of the team that they made. */
  revokeKeys?: boolean;
}

/**
 * `POST /app/teams/:team/invitations`, `Invite`, answers `InvitationMade`, in which the link is
 * shown once. `POST …/:invitation/again`, `{}`, makes another link in the place of the old one, and
 * `POST …/:invitation/remove`, `{}`, takes it back. 409 for a member, 429 for too many in an hour.
 */
export interface InvitationView extends Pick<MemberView, 'id' | 'email' | 'role' | 'sites' | 'hidden'> {
  /** E-mail. */
  invitedBy: string;
  expiresAt: string;
}
export interface Invite extends ChangeMember {
  email: string;
}
export interface InvitationMade extends InvitationView {
  url: string;
  /** Whether it was mailed, too. */
  mailed: boolean;
}

/**
 * `POST /app/invitation`, `LinkToken`: looks at an invitation without using it. `POST
 * /app/invitation/accept`, `AcceptInvitation`, joins the team and signs in; answers `Me`. 404 for a
 * link that is no more, 401 where the person has to sign in first, 409 for somebody else.
 */
export interface InvitationOffer {
  team: string;
  email: string;
  role: MemberRole;
  invitedBy: string;
  /** Domains of the only sites; null for all. */
  sites: string[] | null;
  /** Whether they sign in as somebody who is there already. */
  hasPerson: boolean;
}
export interface AcceptInvitation extends LinkToken {
  /** Of a new person. */
  name?: string;
  password?: string;
}

/**
 * `GET /app/teams/:team/audit?before=ID&limit=100&action=NAME&person=ID`: what was done, the newest
 * first; `…/audit.csv` is the same as CSV.
 */
export interface AuditList {
  data: AuditView[];
}
export type AuditView = ReturnType<typeof auditView>;

/** `GET /app/keys?team=ID`: the team's API keys, oldest first. */
export interface Keys {
  data: KeyView[];
}
export type KeyView = ReturnType<typeof keyView>;

/** `POST /app/keys`. Answers the `NewKey`: the key itself is shown only this once. 400. */
export interface AddKey {
  name: string;
  /** Id of the team; needed by who is in several. */
  team?: string;
  /** `read`, `notes` and `ingest` where nothing is said. */
  scopes?: KeyScope[];
  /** Ids of the only sites. */
  sites?: string[];
  /** Days until it ends: `365`; empty for never. */
  days?: string;
}
/** The key is `tk_live_…`. */
export type NewKey = KeyView & { key: string };

/** `POST /app/keys/:id/revoke`, `{}`: effective immediately. Answers `DoneBody`. 404. */

/** `POST /app/account/email`. Answers `Me`. 400, 403 with `ways`, 409. */
export interface ChangeEmail {
  email: string;
}

/**
 * `POST /app/account/password`: signs out everywhere else. Answers `Me`. 400, 403 with `ways`.
 */
export interface ChangePassword extends Revocation {
  newPassword: string;
}

/** `GET /app/programs`: what the person gave access to, the newest first. */
export interface Programs {
  data: ProgramView[];
}
/** `POST /app/programs/:id/remove` ends it. */
export interface ProgramView {
  id: number;
  /** As it calls itself. */
  name: string;
  /** Where its codes are sent. */
  host: string;
  scopes: string[];
  /** Ids; null: all that the person may read. */
  sites: string[] | null;
  createdAt: string;
  lastUsedAt: string | null;
}

/**
 * `POST /app/programs/ask` with the search of the page: who asks for what. 400 for what nobody can
 * be asked.
 */
export interface ProgramAsks {
  name: string;
  /** The host of the document that the program is known by; null for one that registered itself. */
  ownHost: string | null;
  /** Where the code goes. */
  host: string;
  scopes: string[];
}
/** `POST /app/programs/allow`; `POST /app/programs/deny` takes the search alone. */
export interface AllowProgram {
  search: string;
  scopes: string[];
  /** Ids; null: all that the person may read. */
  sites: string[] | null;
}
/** Where the browser goes then. */
export interface GoTo {
  location: string;
}

/**
 * `GET /app/sites/:site/reports`, and what each change of them answers. `POST` there adds one, of
 * which `name` and `recipients` are needed, and `POST …/:report` changes the fields it is given;
 * `POST …/:report/remove`, `{}`, removes it. 400 `bad-report` names the field.
 */
export interface ReportList {
  data: ReportView[];
  /** Whether a mail server is set. */
  sendsMail: boolean;
}

/**
 * `GET …/:report/preview`: what the person would get, and `GET …/:report/mail` its HTML, for a
 * frame. `POST …/:report/send`, `{}`, mails it to them.
 */
export interface ReportPreview {
  subject: string;
  text: string;
}
