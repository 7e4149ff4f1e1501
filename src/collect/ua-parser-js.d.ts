/** What the collector uses of ua-parser-js 1.x, which comes without types. */
declare module 'ua-parser-js' {
  export default class UAParser {
    constructor(userAgent: string);
    getBrowser(): { name?: string };
    getOS(): { name?: string };
    getDevice(): { type?: string };
  }
}
