/** Writes small MaxMind databases: a tree of 24-bit records over IPv4 or IPv6 networks, and one record for each network. */
import { writeFileSync } from 'node:fs';
import ipaddr from 'ipaddr.js';

type Value = string | number | Value[] | { [key: string]: Value };

/** Of each field the control byte's upper three bits, or what is added to 7 for the types beyond. */
const types = { text: 2, uint16: 5, map: 7, array: 11 };

const control = (type: number, size: number): Buffer => {
  const [stated, extra] = size < 29 ? [size, []] : [29, [size - 29]];
  return type < 8 ? Buffer.from([(type << 5) | stated, ...extra]) : Buffer.from([stated, type - 7, ...extra]);
};

const encode = (value: Value): Buffer => {
  if (typeof value === 'string')
    return Buffer.concat([control(types.text, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') return Buffer.concat([control(types.uint16, 2), Buffer.of(value >> 8, value & 255)]);
  if (Array.isArray(value)) return Buffer.concat([control(types.array, value.length), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([control(types.map, entries.length), ...entries.flatMap(entry => entry.map(encode))]);
};

type Node = [Node | number | null, Node | number | null];

export const mmdb = (ipVersion: 4 | 6, networks: Record<string, Value>): Buffer => {
  const root: Node = [null, null];
  const records: Buffer[] = [];
  let dataBytes = 0;
  for (const [range, record] of Object.entries(networks)) {
    const [address, prefix] = ipaddr.parseCIDR(range);
    const bytes = address.toByteArray();
    // In a tree of both, IPv4 networks stand under 96 zeros.
    const bits = Array.from({ length: prefix }, (_, i) => (bytes[i >> 3]! >> (7 - (i & 7))) & 1);
    if (ipVersion === 6 && address.kind() === 'ipv4') bits.unshift(...Array<number>(96).fill(0));
    let node = root;
    for (const bit of bits.slice(0, -1)) {
      node[bit] ??= [null, null];
      node = node[bit] as Node;
    }
    node[bits.at(-1)!] = dataBytes;
    records.push(encode(record));
    dataBytes += records.at(-1)!.length;
  }

  const nodes: Node[] = [];
  const number = (node: Node): void => {
    nodes.push(node);
    for (const child of node) if (Array.isArray(child)) number(child);
  };
  number(root);
  const tree = Buffer.alloc(nodes.length * 6);
  nodes.forEach((node, place) => {
    node.forEach((child, side) => {
      const value =
        child === null ? nodes.length : Array.isArray(child) ? nodes.indexOf(child) : nodes.length + 16 + child;
      tree.writeUIntBE(value, place * 6 + side * 3, 3);
    });
  });
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    database_type: 'Test',
    description: {},
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 24,
  });
  return Buffer.concat([
    tree,
    Buffer.alloc(16),
    ...records,
    Buffer.from('abcdef4d61784d696e642e636f6d', 'hex'),
    metadata,
  ]);
};

/** A city database in MaxMind's own form. */
export const cityRecord = (country: string, region: string, city: string): Value => ({
  city: { names: { de: 'anders', en: city } },
  country: { iso_code: country },
  subdivisions: [{ names: { en: region } }, { names: { en: 'not the first' } }],
});

export const writeMmdb = (file: string, ipVersion: 4 | 6, networks: Record<string, Value>): void =>
  writeFileSync(file, mmdb(ipVersion, networks));
