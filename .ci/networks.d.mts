/** The table that src/collect/networks.ts reads, of ranges as `first,last,number,name` and of a day since 1970. */
export declare const compileNetworks: (ipv4: string, ipv6: string, day: number) => Buffer;
