/** Code of the package @daybook/client. */
export declare const bundleClient: () => Promise<string>;
/** The API's description, and its types, made by packages in a folder. */
export declare const describedApi: () => Promise<object>;
export declare const typesOf: (description: object, folder: string) => Promise<string>;
/** What makes the types, by name: a package of its own, since it needs another TypeScript. */
export declare const typePackages: Readonly<Record<string, string>>;
