/** A cache that forgets what was longest unused when it holds more than a number of bytes. */

export interface ByteCache {
  /** The value kept under a key, made and kept if there is none. */
  get<V>(key: string, make: () => V): V;
  /** The value kept under a key, if there is one. */
  find<V>(key: string): V | undefined;
  /** Keeps a value, if it is not too large, and returns it. */
  put<V>(key: string, value: V): V;
}

export const createByteCache = (bytesMax: number): ByteCache => {
  /** The one used last stands last. */
  const entries = new Map<string, { value: unknown; bytes: number }>();
  let bytes = 0;

  const drop = (key: string): void => {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };

  const find = <V>(key: string): V | undefined => {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    entries.set(key, entry);
    return entry.value as V;
  };
  const put = <V>(key: string, value: V): V => {
    drop(key);
    const entry = { value, bytes: 2 * key.length + bytesOf(value) };
    // One that is too large for all would cost all the others, and then itself.
    if (entry.bytes > bytesMax) return value;
    entries.set(key, entry);
    bytes += entry.bytes;
    for (const oldest of entries.keys()) {
      if (bytes <= bytesMax) break;
      drop(oldest);
    }
    return value;
  };
  const get = <V>(key: string, make: () => V): V => {
    const found = find<V>(key);
    return found === undefined ? put(key, make()) : found;
  };
  return { get, find, put };
};

/** What an object, a Map entry or an array takes beside its content, about. */
const overheadBytes = 64;

/** About how many bytes a value of plain data and typed arrays takes; arrays may share their memory. */
const bytesOf = (value: unknown, seen = new Set<unknown>()): number => {
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
