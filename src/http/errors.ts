/**
 * Every error that a request can be answered with, outside of the collector's hits
 * (model/outcomes.ts): one row each. The texts of the API are fixed (docs/api.md, "Errors"); those
 * of the dashboard are sentences that its pages show as they are (dashboard/app/texts/ has
 * them in other languages).
 */
import { type JsonReply, json } from './reply.ts';

interface ErrorRow {
  status: number;
  /** Left out where each case has a text of its own. */
  error?: string;
  headers?: Readonly<Record<string, string>>;
}

export const errors = {
  'bad-parameter': { status: 400 },
  'bad-note': { status: 400 },
  'bad-alert': { status: 400 },
  /** `error` says the first fault, `faults` all of them. */
  'bad-settings': { status: 400 },
  'bad-body': { status: 400, error: 'send a JSON object' },
  /** `error` says how deep it may be. */
  'json-too-deep': { status: 400 },
  'body-too-large': { status: 413, error: 'body too large', headers: { connection: 'close' } },
  'two-hosts': { status: 400, error: 'the request has more than one Host header', headers: { connection: 'close' } },
  'query-too-large': { status: 400, error: 'query too large' },
  'no-key': { status: 401, error: 'Missing or invalid API key', headers: { 'www-authenticate': 'Bearer' } },
  /** Of what the servers of a cluster tell each other. */
  'unknown-token': { status: 401, error: 'unknown token', headers: { 'www-authenticate': 'Bearer' } },
  /** `error` says what the token is for. */
  'wrong-role': { status: 403 },
  'no-paid-plan': { status: 403, error: 'API access requires a paid plan' },
  'visits-not-public': { status: 403, error: 'single visits are not public' },
  'properties-not-public': { status: 403, error: 'properties are not public' },
  'events-not-public': { status: 403, error: 'events are not public' },
  'revenue-not-public': { status: 403, error: 'revenue is not public' },
  'crawlers-not-public': { status: 403, error: 'crawlers are not public' },
  'queries-not-public': { status: 403, error: 'queries are not public' },
  'networks-not-public': { status: 403, error: 'networks are not public' },
  'outcomes-not-public': { status: 403, error: 'outcomes are not public' },
  'funnels-not-public': { status: 403, error: 'funnels are not public' },
  'notes-not-public': { status: 403, error: 'notes are not public' },
  'vitals-not-public': { status: 403, error: 'web vitals are not public' },
  'members-not-public': { status: 403, error: 'the sites of a rollup are not public' },
  /** `error` says what, `scope` which one it would take. */
  'no-scope': { status: 403 },
  'not-allowed': { status: 403, error: 'your role does not allow this' },
  'needs-key': { status: 403, error: 'writing needs an API key' },
  /** A server that only answers; `error` names the primary. */
  'primary-only': { status: 403 },
  'raw-not-linked': { status: 403, error: 'raw needs an API key' },
  /** Of /mcp. */
  'mcp-foreign-host': { status: 403, error: 'this server has another name' },
  'mcp-foreign-origin': { status: 403, error: 'pages of this origin may not ask: see MCP_ORIGINS' },
  'mcp-not-json': { status: 415, error: 'send JSON' },
  'mcp-too-large': { status: 413, error: 'body too large', headers: { connection: 'close' } },
  'mcp-too-many': { status: 429, error: 'too many calls' },
  'site-not-found': { status: 404, error: 'site not found' },
  /** `error` says what is wrong with `field`. */
  'bad-report': { status: 400 },
  'no-mail-server': { status: 400, error: 'No mail server is set: SMTP_URL.' },
  'no-report': { status: 404, error: 'There is no such report.' },
  'too-many-mails': { status: 429, error: 'Too many mails: wait a while.' },
  'no-note': { status: 404, error: 'no such note' },
  'no-alert': { status: 404, error: 'no such alert' },
  'no-channel': { status: 404, error: 'no such channel' },
  'not-found': { status: 404, error: 'not found' },
  'method-not-allowed': { status: 405, error: 'method not allowed' },
  /** A follower has a control state that this primary does not know. */
  'unknown-state': { status: 409, error: 'unknown state' },
  /** `error` says what cannot be asked. */
  'not-in-cluster': { status: 501 },
  internal: { status: 500, error: 'internal error' },
  'query-timeout': { status: 503, error: 'query took too long', headers: { 'retry-after': '5' } },
  'query-busy': { status: 503, error: 'too many queries', headers: { 'retry-after': '1' } },
  'provision-busy': { status: 503, error: 'too many bodies of settings', headers: { 'retry-after': '5' } },
  'query-unavailable': {
    status: 503,
    error: 'ClickHouse does not answer: try again later',
    headers: { 'retry-after': '5' },
  },
  'shutting-down': { status: 503, error: 'shutting down', headers: { 'retry-after': '5' } },

  'app-bad-body': { status: 400, error: 'Send a JSON object.' },
  'app-bad-value': { status: 400 },
  'app-which-team': { status: 400, error: 'Say which team.' },
  'app-text-missing': { status: 400, error: 'This field needs a text.' },
  'app-list-missing': { status: 400, error: 'This field needs a list of texts.' },
  'app-switch-missing': { status: 400, error: 'This field needs true or false.' },
  'app-wrong-code': { status: 400, error: 'This code is wrong, or was used before.' },
  'app-took-too-long': { status: 400, error: 'This took too long. Begin again.' },
  'app-passkey-refused': { status: 400, error: 'This passkey does not fit. Try again, or sign in another way.' },
  'app-no-passkeys': { status: 400, error: 'Passkeys need a BASE_URL that begins with https://.' },
  'app-too-many-passkeys': { status: 400, error: 'A person has at most 20 passkeys.' },
  'app-no-factor': { status: 400, error: 'There is no authenticator app to have codes for.' },
  'app-bad-host': { status: 400, error: 'The request’s Host header is no host.' },
  'app-wrong-password': { status: 400, error: 'This is not your current password.' },
  'app-wrong-share-password': { status: 400, error: 'This password is wrong.' },
  'app-too-many-shares': { status: 400, error: 'A site has at most 50 links to public pages.' },
  'app-bad-program': { status: 400 },
  'app-signed-out': { status: 401, error: 'Sign in first.' },
  'app-sign-in-failed': { status: 401, error: 'The e-mail or the password is wrong.' },
  'app-foreign-page': { status: 403 },
  /** `ways` says how. */
  'app-prove': { status: 403, error: 'Prove once more who you are.' },
  'app-factor-missing': { status: 403, error: 'Your team asks for a second factor: set one up in your settings.' },
  'app-passwords-off': { status: 403, error: 'Nobody signs in by password here.' },
  'app-of-provider': { status: 403, error: 'The provider says who has this e-mail: sign in with it.' },
  'app-not-allowed': { status: 403, error: 'Your role does not allow this.' },
  'app-not-found': { status: 404, error: 'There is nothing at this address.' },
  'app-no-team': { status: 404, error: 'There is no such team.' },
  'app-no-member': { status: 404, error: 'There is no such member.' },
  'app-no-person': { status: 404, error: 'There is no such person.' },
  'app-no-invitation': { status: 404, error: 'There is no such invitation.' },
  'app-no-site': { status: 404, error: 'There is no such site.' },
  'app-no-removal': { status: 404, error: 'There is no such removal. Its hits may have been put back.' },
  'app-no-upload': { status: 404, error: 'This file is no longer there. Choose it again.' },
  'app-no-import': { status: 404, error: 'There is no such import. It may have been taken back.' },
  'app-no-definition': { status: 404, error: 'There is nothing of this name. It may have been renamed or removed.' },
  'app-no-program': { status: 404, error: 'This program has no access any more.' },
  'app-no-passkey': { status: 404, error: 'There is no such passkey.' },
  'app-no-login': { status: 404, error: 'There is no such sign-in. It may have ended.' },
  'app-no-share': { status: 404, error: 'There is no such link. It may have been removed.' },
  'app-no-key': { status: 404, error: 'There is no such key.' },
  'app-dead-link': { status: 404, error: 'This link has expired or was already used.' },
  'app-method-not-allowed': { status: 405, error: 'This address does not support this method.' },
  'app-taken': { status: 409 },
  /** `error` names the file. */
  'app-managed': { status: 409 },
  'app-only-way': { status: 409, error: 'This is your only way in. Set up another one first.' },
  'app-no-own-factor': { status: 409, error: 'Set up a second factor for yourself first.' },
  'app-yourself': { status: 409, error: 'Somebody else has to do this with you.' },
  'app-is-member': { status: 409, error: 'This person is a member already.' },
  'app-last-owner': { status: 409, error: 'A team needs an owner: make somebody else an owner first.' },
  'app-team-has-sites': { status: 409, error: 'This team has sites: remove them first.' },
  'app-other-person': { status: 409, error: 'This invitation is for somebody else: sign out first.' },
  'app-too-many-invitations': { status: 400, error: 'A team has at most 100 open invitations.' },
  'app-too-many-keys': { status: 400, error: 'An account has at most 100 API keys.' },
  'app-too-many-listed': {
    status: 400,
    error: 'All sites of an account have at most 10,000 aliases, excluded addresses and excluded paths together.',
  },
  'app-too-many-sites': { status: 400, error: 'An account has at most 1,000 sites and rollups.' },
  'app-is-rollup': { status: 400, error: 'A rollup has no hits of its own. Choose one of its sites.' },
  'app-removing': {
    status: 409,
    error: 'Hits are being imported or put back already. Wait until that is done.',
  },
  'app-upload-too-large': {
    status: 413,
    error: 'This is more than may be uploaded (IMPORT_UPLOAD_MB). Import it with the command daybook import.',
  },
  'app-no-room': { status: 507, error: 'There is not enough room on the disk of the server.' },
  'app-too-large': { status: 413, error: 'This request is too large.', headers: { connection: 'close' } },
  'app-not-json': { status: 415, error: 'Send JSON.' },
  'app-too-many-attempts': { status: 429, error: 'Too many attempts.' },
  'app-failed': { status: 500, error: 'Something went wrong. The server’s log has the details.' },
  'app-busy': { status: 503, error: 'Too many people are signing in right now.' },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errors;

/** What the body of an error may say besides the text of its row, or in place of it. */
export interface ErrorDetails {
  error?: string;
  /** What a key would need. */
  scope?: string;
  /** The parameter of a query, or the field of a request’s body, that must change. */
  parameter?: string;
  field?: string;
  /** The values that the parameter can have. */
  allowed?: readonly string[];
  /** Where settings are wrong, from 1. */
  faults?: readonly { line: number; column: number; sentence: string }[];
  /** How somebody can prove who they are. */
  ways?: readonly string[];
  /** How long to wait. Becomes the header `retry-after` too. */
  retryAfterSeconds?: number;
}

/** Thrown wherever it turns out that a request has no other answer. */
export class HttpError extends Error {
  readonly code: ErrorCode;
  /** The field of the request’s body that must change. */
  readonly field: string | undefined;
  readonly reply: JsonReply;

  constructor(code: ErrorCode, details: ErrorDetails = {}, headers: Readonly<Record<string, string>> = {}) {
    const row: ErrorRow = errors[code];
    super(details.error ?? row.error);
    this.code = code;
    this.field = details.field;
    const { retryAfterSeconds } = details;
    const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    this.reply = json(row.status, { error: row.error, ...details }, { ...row.headers, ...wait, ...headers });
  }
}

/** For what this server lacks: a follower's primary, whose address is `url`, may have it. */
export const primaryOnlyOr = (url: string | null, code: ErrorCode): HttpError =>
  url === null ? new HttpError(code) : primaryOnly(url);

/** For what only the primary of a cluster does, whose address is `url`. */
export const primaryOnly = (url: string): HttpError =>
  new HttpError('primary-only', { error: `this server only answers questions: use the primary at ${url}` });
