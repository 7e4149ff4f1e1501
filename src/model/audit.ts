/** What is written down of what people do: the one list, which filters and the page take too. */
export const auditActions = [
  ...(['signed-in', 'sign-in-failed', 'signed-out', 'password-changed', 'email-changed'] as const),
  ...(['factor-added', 'factor-removed', 'link-made', 'link-used'] as const),
  ...(['invited', 'invitation-removed', 'joined', 'role-changed', 'left', 'removed', 'disabled', 'enabled'] as const),
  ...(['team-added', 'team-changed', 'team-removed', 'provisioned'] as const),
  ...([
    'key-added',
    'key-revoked',
    'key-used-first',
    'site-added',
    'site-changed',
    'site-reset',
    'site-removed',
  ] as const),
  ...(['program-allowed', 'program-removed'] as const),
  ...(['shared', 'unshared', 'imported', 'import-undone', 'hits-removed', 'hits-put-back', 'exported'] as const),
  ...(['alert-changed', 'channel-changed', 'report-changed', 'refused', 'pruned'] as const),
] as const;
export type AuditAction = (typeof auditActions)[number];

export const isAuditAction = (name: string): name is AuditAction => auditActions.some(each => each === name);

/** How the audit names a key that acts. */
export const keyActor = ({ name, lastFour }: { name: string; lastFour: string }): string => `key ${name} …${lastFour}`;

/** What happened, without secrets, bodies and visitors. */
export interface AuditEvent {
  /** UTC milliseconds. */
  at: number;
  /** The account it is about; null for what concerns the server. */
  accountId: number | null;
  personId: number | null;
  /** An e-mail as it was then, `cli`, `server`, or the name and last characters of a key. */
  actor: string;
  action: AuditAction;
  /** What it was done to: a domain, an e-mail, the name of a key. */
  subject: string;
  details: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
  /** Of the address, `203.0.113.0/24`; empty where none is known. */
  network: string;
}

export interface AuditRow extends AuditEvent {
  id: number;
}
