/** How far from the usual is out, in spreads. */
export const sensitivities = { calm: 6, usual: 4.5, keen: 3.5 } as const;
