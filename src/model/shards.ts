/** Where a cluster of ClickHouse is. */

/** Shards; each is a list of replicas, which hold the same. */
export type Shards = readonly (readonly URL[])[];

/**
 * `URL[,URL…][;URL…]`: replicas are divided by commas, shards by semicolons. The path of an address
 * is the name of the database. Undefined for a text that is none.
 */
export const readShards = (text: string): Shards | undefined => {
  const shards = text.split(';').map(shard => shard.split(',').map(replica => replica.trim()));
  const isAddress = (replica: string): boolean => /^https?:\/\//i.test(replica) && URL.canParse(replica);
  return shards.flat().every(isAddress) ? shards.map(shard => shard.map(replica => new URL(replica))) : undefined;
};

/** The text that `readShards` reads. */
export const writeShards = (shards: Shards): string =>
  shards.map(replicas => replicas.map(({ href }) => href).join(',')).join(';');
