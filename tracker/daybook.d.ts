/**
 * The global function of Daybook's tracker. Copy this file into a TypeScript project, or reference
 * it from one.
 */

/** Up to 50 properties of an event, or traits of a visitor. Keys keep 200 characters, texts 500. */
interface DaybookProperties {
  [key: string]: string | number | bigint | boolean | Date | null | undefined;
}

interface DaybookRevenue extends DaybookProperties {
  /**
   * Minor units of the currency: 4900 is 49.00 EUR, and 4900 JPY. A text has to say a whole number.
   */
  revenue: number | bigint | `${bigint}`;
  /** ISO 4217 code. Default USD. */
  currency?: string;
}

interface DaybookTracker {
  /** Sends a custom event; with a `revenue` among the properties, a revenue event of that name. */
  (name: string, properties?: DaybookProperties | DaybookRevenue): void;
  /**
   * Sends a pageview of the current address. Needed only with `data-auto="false"`: navigations are
   * seen by themselves.
   */
  pageview(): void;
  /**
   * Names the visitor of this visit. `email`, `name`, `username`, `id`, `userId` are shown, the
   * first of them that is present.
   */
  identify(traits: DaybookProperties): void;
  identify(id: string | number, traits?: DaybookProperties): void;
  /** Sends revenue in minor units of the currency (default USD), as the event `revenue`. */
  revenue(amount: number | bigint | `${bigint}`, currency?: string, properties?: DaybookProperties): void;
  /** Calls that were made before the script arrived. Only the stub has it. */
  q?: Iterable<[name: string, properties?: DaybookProperties]>;
}

interface Window {
  tracker: DaybookTracker;
}

declare const tracker: DaybookTracker;
