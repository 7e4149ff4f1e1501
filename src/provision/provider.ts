/** The provider that a file names, as the settings that it stands for. */
import { ValueError } from '../model/values.ts';
import { FileFault } from './apply.ts';
import { oidc, oidcFields } from './oidc.ts';
import type { WantedThing } from './read-file.ts';

/** The texts of settings. */
export type SettingTexts = Readonly<Record<string, string>>;

const textOf = (value: unknown): string => (typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value));

/**
 * What `read` makes of the provider that a file wants; null where it wants none. Throws FileFault.
 */
export const providerIn = <T>(wanted: readonly WantedThing[], read: (texts: SettingTexts) => T): T | null => {
  const [first, second] = wanted.filter(one => one.kind === oidc);
  if (second !== undefined) throw new FileFault({ ...second.at, sentence: 'People sign in with one provider.' });
  if (first === undefined) return null;
  const given = Object.entries(oidcFields).filter(([, name]) => name in first.given);
  try {
    return read(Object.fromEntries(given.map(([setting, name]) => [setting, textOf(first.given[name])])));
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const [setting = ''] = /\bOIDC_\w+/.exec(error.message) ?? [];
    const sentence = error.message.replace(/\bOIDC_\w+/g, name => oidcFields[name] ?? name);
    throw new FileFault({ ...(first.places[oidcFields[setting] ?? ''] ?? first.at), sentence });
  }
};
