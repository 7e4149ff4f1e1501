/** Where copies are stored: a directory, or a bucket of a server that speaks S3. */

export interface Place {
  /** Names below a folder, such as `packs/`, in order. */
  list(folder: string): Promise<string[]>;
  /** Null when there is none of the name. */
  get(name: string): Promise<Buffer | null>;
  /** Resolves when it is stored whole; nobody sees a part of it. */
  put(name: string, object: Buffer): Promise<void>;
  /** Does nothing when there is none of the name. */
  remove(name: string): Promise<void>;
}

/** How a place is named, and what it takes to use it. */
export interface PlaceSettings {
  /** A directory, `s3://bucket/prefix`, or `https://host/bucket/prefix` of an S3 server. */
  to: string;
  /** 64 hexadecimal digits; null copies without encrypting. */
  key: string | null;
  /** Null for a directory. */
  access: BucketAccess | null;
}

export interface BucketAccess {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}
