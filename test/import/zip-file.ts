/** Makes zip files, as programs do and as no program should. */
import { crc32, deflateRawSync } from 'node:zlib';

/** A zip of some files. `declared` is what its directory says of their sizes, where that differs. */
export const zipOf = (files: Readonly<Record<string, string | Buffer>>): Buffer => {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const checksum = typeof crc32 === 'function' ? crc32(bytes) : 0;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 8);
    for (const [i, value] of [checksum, packed.length, bytes.length].entries()) local.writeUInt32LE(value, 14 + 4 * i);
    local.writeUInt16LE(Buffer.byteLength(name), 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    for (const [i, value] of [checksum, packed.length, bytes.length].entries()) entry.writeUInt32LE(value, 16 + 4 * i);
    entry.writeUInt16LE(Buffer.byteLength(name), 28);
    entry.writeUInt32LE(at, 42);
    locals.push(local, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    at += local.length + Buffer.byteLength(name) + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, listed, end]);
};

/** Changes what a zip's directory says of its entries, 46 bytes each: sizes at 20, places at 42. */
export const withDirectory = (zip: Buffer, change: (entry: Buffer, i: number) => void): Buffer => {
  const bytes = Buffer.from(zip);
  let at = bytes.readUInt32LE(bytes.length - 6);
  for (let i = 0; bytes.readUInt32LE(at) === 0x02014b50; i++) {
    change(bytes.subarray(at, at + 46), i);
    at += 46 + bytes.readUInt16LE(at + 28);
  }
  return bytes;
};
