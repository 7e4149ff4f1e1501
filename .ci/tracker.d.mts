export declare const bundleTracker: () => Promise<string>;
