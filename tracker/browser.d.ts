/** What browsers have and TypeScript's own declarations lack. */

interface Document {
  /** The page is rendered before it is shown, if it ever is (Chromium). */
  readonly prerendering?: boolean;
}

interface Navigator {
  /** Client hints (Chromium, secure contexts). */
  readonly userAgentData?: { readonly brands: readonly { brand: string; version: string }[] };
  /** Global Privacy Control (Firefox and others). */
  readonly globalPrivacyControl?: boolean;
}
