/** The table that src/collect/geo.ts reads, of the contents of two .mmdb files. */
export declare const compileCities: (ipv4: Buffer, ipv6: Buffer) => Buffer;
