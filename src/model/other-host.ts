/** A host that hits named and that their site does not allow. */
export interface OtherHost {
  host: string;
  hits: number;
  /** When one last came, UTC milliseconds. */
  lastAt: number;
}
