/** How a server of a cluster brings its hits to ClickHouse. */
export interface NodeShipping {
  /** How long its oldest hit has waited for ClickHouse, in milliseconds; null if unknown. */
  lagMs: number | null;
  /** Hits that wait, as far as they were counted. */
  waitingHits: number | null;
  /** Why it last could not send them; null when it could. */
  failure: string | null;
}

/** A server of a cluster, as the primary knows it. */
export interface NodeState extends NodeShipping {
  /** As it was invited; null for the primary, and for one with the token of all. */
  name: string | null;
  role: 'primary' | 'collect' | 'answer';
  address: string | null;
  /** Of Daybook. */
  version: string | null;
  /** When it last reported, UTC milliseconds; null where it has not since the primary started. */
  seenAt: number | null;
}
