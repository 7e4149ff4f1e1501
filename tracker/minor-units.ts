/** Minor units in one major unit. Throws for what is no currency code. */
export const minorUnits = (currency: string): number =>
  10 ** new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits!;
