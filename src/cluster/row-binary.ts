/** ClickHouse's RowBinary: values one after the other, integers with their low byte first. */

export interface RowBinary {
  byte(value: number): void;
  uint16(value: number): void;
  uint32(value: number): void;
  /** Signed and unsigned ones that are no negative numbers look alike. */
  uint64(value: bigint): void;
  double(value: number): void;
  /** A number of items, or of bytes. */
  length(value: number): void;
  bytes(value: Uint8Array): void;
  size(): number;
  /** What was written, which is forgotten. */
  take(): Buffer;
}

export const rowBinary = (): RowBinary => {
  let buffer = Buffer.allocUnsafe(1 << 16);
  let end = 0;
  const room = (bytes: number): void => {
    if (end + bytes <= buffer.length) return;
    const larger = Buffer.allocUnsafe(2 * (buffer.length + bytes));
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
    double(value) {
      room(8);
      end = buffer.writeDoubleLE(value, end);
    },
    length(value) {
      room(5);
      let left = value;
      for (; left > 127; left >>>= 7) buffer[end++] = (left & 127) | 128;
      buffer[end++] = left;
    },
    bytes(value) {
      room(value.length);
      buffer.set(value, end);
      end += value.length;
    },
    size: () => end,
    take() {
      const taken = Buffer.from(buffer.subarray(0, end));
      end = 0;
      return taken;
    },
  };
};

/** A text with its length before it. */
export const textBytes = (text: string): Buffer => {
  const writer = rowBinary();
  const bytes = Buffer.from(text);
  writer.length(bytes.length);
  writer.bytes(bytes);
  return writer.take();
};
