export declare const bundleTracker: (entry: string, format?: 'iife' | 'esm') => Promise<string>;
