/** What goes wrong between the server and the provider. */

/** The provider cannot be reached, or does not answer as one. */
export class OidcAway extends Error {}
/** The provider says no; `code` is one of its own, such as `access_denied`. */
export class OidcDenied extends Error {
  readonly code: string;
  constructor(code: string) {
    super(`the provider answered ${code}`);
    this.code = code;
  }
}
/** What the provider said cannot be trusted. */
export class OidcRefused extends Error {}
