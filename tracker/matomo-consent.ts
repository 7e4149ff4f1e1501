/** Whether the visitor may be counted, as Matomo's calls say. */
import type { WireHit } from '../src/model/hit.ts';

/**
 * Matomo's own cookies: who consented or opted out before the tag led here is still heard. They are
 * set by nothing but the calls that mean to be remembered.
 */
const givenCookie = 'mtm_consent';
const removedCookie = 'mtm_consent_removed';
const hourS = 3600;
const rememberedHours = 30 * 365 * 24;
/** Hits that wait for consent at most. */
const waitingMax = 100;

export interface Consent {
  isGiven(): boolean;
  /**
   * Sends now, or once consent is given in this page; the hit then keeps the address and the title
   * that the page has now.
   */
  whenGiven(hit: Partial<WireHit>, send: () => void): void;
  methods: Record<string, (...args: never[]) => unknown>;
}

const readCookie = (name: string): string | undefined => document.cookie.match(`(?:^|; )${name}=([^;]+)`)?.[1];

const writeCookie = (name: string, hours: number): void => {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is too young.
  document.cookie = `${name}=${hours && Date.now()};path=/;max-age=${hours * hourS};samesite=lax`;
};

export const createConsent = (): Consent => {
  let isRequired = false;
  let isOff = false;
  let hasConsent = !readCookie(removedCookie);
  let waiting: (() => void)[] = [];

  const isGiven = (): boolean => !isOff && hasConsent;
  const remembered = (): string | undefined => (readCookie(removedCookie) ? undefined : readCookie(givenCookie));
  const require = (): void => {
    isRequired = true;
    hasConsent = !!remembered();
  };
  const give = (): void => {
    hasConsent = true;
    writeCookie(removedCookie, 0);
    const due = waiting;
    waiting = [];
    if (isGiven()) for (const send of due) send();
  };
  const forget = (hours = rememberedHours): void => {
    writeCookie(givenCookie, 0);
    writeCookie(removedCookie, hours);
    require();
  };
  return {
    isGiven,
    whenGiven(hit, send) {
      if (isGiven()) send();
      else if (!isOff && waiting.length < waitingMax) {
        hit.u ??= location.href;
        hit.ti ??= document.title;
        waiting.push(send);
      }
    },
    methods: {
      requireConsent: require,
      setConsentGiven: give,
      rememberConsentGiven(hours = rememberedHours) {
        give();
        writeCookie(givenCookie, hours);
      },
      forgetConsentGiven: forget,
      optUserOut: forget,
      forgetUserOptOut: give,
      setDoNotTrack(isOn: boolean) {
        isOff = isOn && navigator.doNotTrack === '1';
      },
      isConsentRequired: () => isRequired,
      isUserOptedOut: () => !hasConsent,
      hasConsent: () => hasConsent,
      hasRememberedConsent: () => !!remembered(),
      getRememberedConsent: () => remembered() ?? null,
    },
  };
};
