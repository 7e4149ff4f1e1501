/** Passkeys, as browsers of today offer them themselves: requests and answers are JSON. */

/** Whether this browser can make and use them. */
export const canPasskeys = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  'toJSON' in PublicKeyCredential.prototype;

/** Whether it offers them in the field of an e-mail. */
export const canOffer = async (): Promise<boolean> =>
  canPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;

/** Throws where the person, or the browser, stops it. */
export const makePasskey = async (options: PublicKeyCredentialCreationOptionsJSON): Promise<object> => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return jsonOf(await navigator.credentials.create({ publicKey }));
};

/** Asks for one; `isOffer` waits until the person chooses one in the field of their e-mail. */
export const givePasskey = async (
  options: PublicKeyCredentialRequestOptionsJSON,
  signal?: AbortSignal,
  isOffer = false,
): Promise<object> => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const mediation = isOffer ? 'conditional' : 'optional';
  return jsonOf(await navigator.credentials.get({ publicKey, mediation, ...(signal && { signal }) }));
};

const jsonOf = (credential: Credential | null): object => (credential as PublicKeyCredential).toJSON();
