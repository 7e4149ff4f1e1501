/** Numbers as the reader writes them. */
import { locale } from './locale.ts';

/** Intl's formats are slow to make, so each is made once. */
const formats = new Map<string, Intl.NumberFormat>();
export const numberFormat = (options: Intl.NumberFormatOptions, tag = locale().numbers): Intl.NumberFormat => {
  const key = `${tag} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.NumberFormat(tag, options);
  formats.set(key, format);
  return format;
};

const plain = { maximumFractionDigits: 2 };
export const formatNumber = (value: number): string => numberFormat(plain).format(value);
