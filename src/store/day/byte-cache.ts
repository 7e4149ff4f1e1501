/**
 * A cache that drops what was longest unused when it would hold more than a number of bytes. A scan
 * over more than fits would find nothing the next time, because each part would have pushed out
 * another. So what the current scan used stays, and the cache does not keep what finds no room
 * beside it.
 */

export interface ByteCache {
  /** The value kept under a key, made and kept if there is none. */
  get<V>(key: string, make: () => V): V;
  /** The value kept under a key, if there is one. */
  find<V>(key: string): V | undefined;
  /**
   * Keeps a value, if there is room for it, and returns it. `bytes` is what it takes, for a value
   * that is not plain data.
   */
  put<V>(key: string, value: V, bytes?: number): V;
  drop(key: string): void;
  /** A new scan begins: what earlier ones used may be dropped. */
  beginScan(): void;
}

interface Entry {
  value: unknown;
  bytes: number;
  /** Number of the scan that used it last. */
  scan: number;
}

export const createByteCache = (bytesMax: number): ByteCache => {
  /** The one used last stands last. */
  const entries = new Map<string, Entry>();
  let bytes = 0;
  let scan = 0;

  const drop = (key: string): void => {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };

  /** Whether there is room for so many bytes, made by dropping what earlier scans used. */
  const makeRoom = (wanted: number): boolean => {
    if (wanted > bytesMax) return false;
    for (const [key, entry] of entries) {
      if (bytes + wanted <= bytesMax) return true;
      if (entry.scan === scan) return false;
      drop(key);
    }
    return true;
  };

  const find = <V>(key: string): V | undefined => {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    entries.set(key, entry);
    entry.scan = scan;
    return entry.value as V;
  };
  const put = <V>(key: string, value: V, ofValue = bytesOf(value)): V => {
    drop(key);
    const entry = { value, bytes: 2 * key.length + ofValue, scan };
    if (!makeRoom(entry.bytes)) return value;
    entries.set(key, entry);
    bytes += entry.bytes;
    return value;
  };
  const get = <V>(key: string, make: () => V): V => {
    const found = find<V>(key);
    return found === undefined ? put(key, make()) : found;
  };
  const beginScan = (): void => {
    scan++;
  };
  return { get, find, put, drop, beginScan };
};

/** What an object, a Map entry or an array takes beside its content, about. */
const overheadBytes = 64;

/**
 * About how many bytes a value of plain data and typed arrays takes; arrays may share their memory.
 */
export const bytesOf = (value: unknown, seen = new Set<unknown>()): number => {
  if (ArrayBuffer.isView(value)) {
    const { buffer } = value;
    if (seen.has(buffer)) return overheadBytes;
    seen.add(buffer);
    return overheadBytes + buffer.byteLength;
  }
  if (typeof value === 'string') return overheadBytes + 2 * value.length;
  if (Array.isArray(value)) return value.reduce((sum, one) => sum + bytesOf(one, seen), overheadBytes);
  if (typeof value === 'object' && value !== null) return bytesOf(Object.values(value), seen) + overheadBytes;
  return 8;
};
