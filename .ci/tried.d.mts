/** Patterns of test files, and the paths of what they try, with spaces between. */
export declare const tried: [files: RegExp, paths: string][];
/** What every one of them makes use of. */
export declare const used: string;
