/** What OAuth answers where it refuses (RFC 6749, 5.2; RFC 7591, 3.2.2; RFC 8707, 2). */

export type OAuthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_scope'
  | 'invalid_target'
  | 'temporarily_unavailable'
  | 'unsupported_grant_type'
  | 'unsupported_response_type';

export class OAuthFailure extends Error {
  readonly code: OAuthCode;

  /** The sentence is for people who set a program up. */
  constructor(code: OAuthCode, sentence: string) {
    super(sentence);
    this.code = code;
  }
}
