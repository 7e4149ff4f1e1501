/** A cache that forgets what was longest unused when it holds more than a number of bytes. */

export interface ByteCache {
  get<V>(key: string, make: () => V): V;
}

export const createByteCache = (bytesMax: number): ByteCache => {
  const entries = new Map<string, { value: unknown; bytes: number }>();
  let bytes = 0;
  return {
    get<V>(key: string, make: () => V): V {
      let entry = entries.get(key);
      if (entry === undefined) {
        const value = make();
        entry = { value, bytes: 2 * key.length + bytesOf(value) };
        bytes += entry.bytes;
      }
      entries.delete(key);
      entries.set(key, entry);
      for (const [oldest, { bytes: freed }] of entries) {
        if (bytes <= bytesMax) break;
        entries.delete(oldest);
        bytes -= freed;
      }
      return entry.value as V;
    },
  };
};

/** What an object, a Map entry or an array takes beside its content, about. */
const overheadBytes = 64;

/** About how many bytes a value of plain data and typed arrays takes. */
const bytesOf = (value: unknown): number => {
  if (ArrayBuffer.isView(value)) return overheadBytes + value.buffer.byteLength;
  if (typeof value === 'string') return overheadBytes + 2 * value.length;
  if (Array.isArray(value)) return value.reduce((sum, one) => sum + bytesOf(one), overheadBytes);
  if (typeof value === 'object' && value !== null) return bytesOf(Object.values(value)) + overheadBytes;
  return 8;
};
