/** Fills the directory with the dashboard's app; gives the names of its files. */
export declare const buildDashboard: (outdir: string) => Promise<string[]>;
