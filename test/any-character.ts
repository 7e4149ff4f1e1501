import fc from 'fast-check';

const surrogates = [0xd800, 0x800] as const;

/**
 * Any character, as a unit of `fc.string`. It is fast-check's 'binary', which first lists all million of
 * them and keeps the list.
 */
export const anyCharacter = fc.nat(0x10ffff - surrogates[1]).map(
  number => String.fromCodePoint(number < surrogates[0] ? number : number + surrogates[1]),
  text => {
    const code = typeof text === 'string' && [...text].length === 1 ? text.codePointAt(0)! : -1;
    if (code < 0 || (code >= surrogates[0] && code < surrogates[0] + surrogates[1])) throw new Error('no character');
    return code < surrogates[0] ? code : code - surrogates[1];
  },
);
