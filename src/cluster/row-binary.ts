/** ClickHouse's RowBinary: values one after the other, integers with their low byte first. */

export interface RowBinary {
  byte(value: number): void;
  uint16(value: number): void;
  uint32(value: number): void;
  /** Signed and unsigned ones that are no negative numbers look alike. */
  uint64(value: bigint): void;
  /** 64 bits of a whole number from 0 to 2^53. */
  whole(value: number): void;
  double(value: number): void;
  /** A number of items, or of bytes. */
  length(value: number): void;
  bytes(value: Uint8Array): void;
  /** Writes once more what was written from a place on. */
  again(from: number, length: number): void;
  size(): number;
  /** What was written, which is forgotten. */
  take(): Buffer;
}

export const rowBinary = (): RowBinary => {
  let buffer: Buffer = Buffer.alloc(0);
  let [end, capacity] = [0, 1 << 16];
  const room = (bytes: number): void => {
    if (end + bytes <= buffer.length) return;
    while (capacity < end + bytes) capacity *= 2;
    const larger = Buffer.allocUnsafe(capacity);
    buffer.copy(larger, 0, 0, end);
    buffer = larger;
  };
  return {
    byte(value) {
      room(1);
      buffer[end++] = value;
    },
    uint16(value) {
      room(2);
      end = buffer.writeUInt16LE(value, end);
    },
    uint32(value) {
      room(4);
      end = buffer.writeUInt32LE(value, end);
    },
    uint64(value) {
      room(8);
      end = buffer.writeBigUInt64LE(value, end);
    },
    whole(value) {
      room(8);
      buffer.writeUInt32LE(value % 2 ** 32, end);
      end = buffer.writeUInt32LE(Math.floor(value / 2 ** 32), end + 4);
    },
    double(value) {
      room(8);
      end = buffer.writeDoubleLE(value, end);
    },
    length(value) {
      room(lengthMax);
      end = writeLength(buffer, value, end);
    },
    bytes(value) {
      const { length } = value;
      room(length);
      // Most are short, and a call outside costs more than they do.
      if (length > fewBytes) buffer.set(value, end);
      else for (let i = 0; i < length; i++) buffer[end + i] = value[i]!;
      end += length;
    },
    again(from, length) {
      room(length);
      buffer.copyWithin(end, from, from + length);
      end += length;
    },
    size: () => end,
    take() {
      const taken = buffer.subarray(0, end);
      buffer = Buffer.alloc(0);
      end = 0;
      return taken;
    },
  };
};

const fewBytes = 24;

/** A text with its length before it. */
export const textBytes = (text: string): Buffer => {
  const bytes = Buffer.allocUnsafe(lengthMax + Buffer.byteLength(text));
  const begin = writeLength(bytes, bytes.length - lengthMax, 0);
  return bytes.subarray(0, begin + bytes.write(text, begin));
};

/** Bytes that a length takes at most. */
const lengthMax = 5;

const writeLength = (to: Buffer, value: number, at: number): number => {
  let [left, end] = [value, at];
  for (; left > 127; left >>>= 7) to[end++] = (left & 127) | 128;
  to[end++] = left;
  return end;
};
