/**
 * The network of an address, as the number and the organisation of its autonomous system, such as
 * `AS24940 Hetzner Online GmbH`: from the table that ships (.ci/networks.mjs compiles it), or from
 * an operator's own database. Null where no network is known.
 */
import { isRecord } from '../model/record.ts';
import { addressDatabase } from './address-database.ts';

export const networkDatabase = addressDatabase<string | null>({
  ...{ name: 'networks', type: 'ip-location-db ASN' },
  ofText: text => (text === '' ? null : text),
  /** MaxMind and DB-IP name the fields alike. */
  ofRecord(record) {
    if (!isRecord(record)) return null;
    const { autonomous_system_number: number, autonomous_system_organization: name } = record;
    if (typeof number !== 'number') return null;
    return `AS${number} ${typeof name === 'string' ? name.slice(0, nameCharsMax) : ''}`.trim();
  },
});
/** The longest names that ship have 167. */
const nameCharsMax = 200;
