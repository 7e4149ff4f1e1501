/**
 * The network of an address, as the number and the organisation of its autonomous system: from the
 * table that ships (.ci/networks.mjs compiles it), or from an operator's own database.
 */
import { isRecord } from '../model/record.ts';
import { type AddressTable, openAddressTable, shippedTable } from './address-table.ts';
import { type DatabaseFacts, openMmdb } from './mmdb.ts';

/** Such as `AS24940 Hetzner Online GmbH`; null where no network is known. */
export type NetworkOf = (address: string) => string | null;

const shippedFile = shippedTable('networks');

/** One for each thread, and never closed. */
let shipped: AddressTable<string | null> | undefined;

const openShipped = (): AddressTable<string | null> => {
  shipped ??= openAddressTable(shippedFile, text => (text === '' ? null : text));
  return shipped;
};

/** Rejects when the file cannot be used. */
export const openNetworks = async (file: string | null): Promise<NetworkOf> => {
  if (file === null) return openShipped().of;
  const { get } = await openMmdb(file);
  return address => networkIn(get(address));
};

/** Facts about the database that would be used. Rejects when it cannot be used. */
export const networkFacts = async (file: string | null): Promise<DatabaseFacts> => {
  if (file === null) return { file: shippedFile, type: 'ip-location-db ASN', madeAt: openShipped().madeAt };
  const { type, madeAt } = await openMmdb(file);
  return { file, type, madeAt };
};

/** MaxMind and DB-IP name the fields alike. */
const networkIn = (record: unknown): string | null => {
  if (!isRecord(record)) return null;
  const { autonomous_system_number: number, autonomous_system_organization: name } = record;
  if (typeof number !== 'number') return null;
  return `AS${number} ${typeof name === 'string' ? name.slice(0, nameCharsMax) : ''}`.trim();
};
/** The longest names that ship have 167. */
const nameCharsMax = 200;
