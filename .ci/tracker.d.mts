export declare const bundleTracker: (entry: 'tracker/main.ts' | 'tracker/script.ts') => Promise<string>;
