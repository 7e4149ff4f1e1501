/** Values as ClickHouse's SQL has them, in what 18.16 and the newest version both read. */

export const text = (value: string): string =>
  `'${value.replace(/[\\']/g, '\\$&').replaceAll('\0', '\\0').replaceAll('\n', '\\n')}'`;

export const list = (values: readonly string[]): string => `(${values.map(text).join(', ')})`;

// Constants are left out: 26.7 fails over some in conditions.
export const all = (conditions: readonly string[]): string => {
  const left = conditions.filter(one => one !== '1');
  if (left.includes('0')) return '0';
  return left.length === 0 ? '1' : left.map(one => `(${one})`).join(' and ');
};

export const any = (conditions: readonly string[]): string => {
  const left = conditions.filter(one => one !== '0');
  if (left.includes('1')) return '1';
  return left.length === 0 ? '0' : left.map(one => `(${one})`).join(' or ');
};

export const not = (condition: string): string => {
  if (condition === '0' || condition === '1') return condition === '0' ? '1' : '0';
  return `not (${condition})`;
};

/** Exactly, by its bits: 18.16 misreads some decimals. */
export const float = (value: number): string => {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  return `reinterpretAsFloat64(reinterpretAsString(toUInt64(${bits.getBigUint64(0)})))`;
};

/** To the next whole number, halves up: 18.16 rounds them to even ones. */
export const rounded = (value: string): string => `floor(${value}) + (${value} - floor(${value}) >= 0.5)`;

/** Sixteen hex digits of a visitor as a number. */
export const hash = (hex: string): string => `toUInt64(${BigInt(`0x${hex}`)})`;
