/**
 * Flags, drawn by ourselves from a line each: how the field is divided, and its colours. Of many
 * flags this is the whole; of others it is what tells them apart at 16 pixels. Countries without a
 * line are shown by their code.
 *
 *     h  stripes from top to bottom       n  a Nordic cross on a field, or one in another
 *     v  stripes from left to right       o  a disc on a field
 *     x  a plain cross on a field         c  stripes of two colours, with a corner of a third one
 *     g  the Union Jack
 *
 * A digit before a colour says how many parts its stripe has, and @ that it is a disc in the
 * middle.
 */
const lines = `
AE h 00843d fff 000
AM h d90012 0033a0 f2a800
AR h 74acdf fff 74acdf @f6b40e
AT h ed2939 fff ed2939
AU c 00247d 00247d c8102e
BD o 006a4e f42a41
BE v 000 fdda24 ef3340
BG h fff 00966e d62612
BO h d52b1e f9e300 007934
BR h 009c3b @ffdf00
CA v f00 2fff f00 @f00
CH x d52b1e fff
CI v f77f00 fff 009e60
CL c fff d52b1e 0039a6
CM v 007a5e ce1126 fcd116
CN h de2910 @ffde00
CO h 2fcd116 003893 ce1126
CZ h fff d7141a
DE h 000 d00 ffce00
DK n c8102e fff
DZ v 006233 fff
EE h 0072ce 000 fff
EG h ce1126 fff 000 @c09300
ES h aa151b 2f1bf00 aa151b
FI n fff 003580
FR v 002395 fff ed2939
GB g 00247d fff cf142b
GE x fff f00
GH h ce1126 fcd116 006b3f
GR h 0d5eaf fff 0d5eaf fff 0d5eaf
GT v 4997d0 fff 4997d0
HK h de2910 @fff
HR h f00 fff 171796 @f00
HU h cd2a3e fff 436f4d
ID h f00 fff
IE v 169b62 fff ff883e
IL h 0038b8 3fff 0038b8 @0038b8
IN h f93 fff 138808 @000080
IQ h ce1126 fff 000
IR h 239f40 fff da0000
IS n 02529c fff dc1e35
IT v 009246 fff ce2b37
JP o fff bc002d
KE h 000 bb0000 006600 @fff
KR h fff @c60c30
LA h ce1126 2002868 ce1126 @fff
LT h fdb913 006a44 c1272d
LU h ed2939 fff 00a1de
LV h 29e3039 fff 29e3039
MA h c1272d @006233
MX v 006847 fff ce1126 @8a6a2a
MY c c00 fff 006
NG v 008751 fff 008751
NL h ae1c28 fff 21468b
NO n ef2b2d fff 002868
NZ c 00247d 00247d 012169
PE v d91023 fff d91023
PK v fff 3006600 @fff
PL h fff dc143c
PT v 2006600 3f00 @ff0
PY h d52b1e fff 0038a8
QA v fff 28d1b3d
RO v 002b7f fcd116 ce1126
RS h c6363c 0c4076 fff
RU h fff 0039a6 d52b1e
SA h 006c35 @fff
SE n 006aa7 fecc00
SG h ed2939 fff
SI h fff 005da4 ed1c24
SK h fff 0b4ea2 ee1c25
SN v 00853f fdef42 e31b23
SV h 0f47af fff 0f47af
TH h a51931 fff 22d2a4a fff a51931
TN h e70013 @fff
TR h e30a17 @fff
TW c fe0000 fe0000 000095
UA h 005bbb ffd500
US c b22234 fff 3c3b6e
UY c fff 0038a8 fcd116
VE h fc0 00247d cf142b
VN h da251d @ff0
ZA h de3831 fff 007a4d fff 002395
`;

export interface Flag {
  kind: 'h' | 'v' | 'n' | 'o' | 'x' | 'c' | 'g';
  parts: { colour: string; parts: number }[];
  /** Colour of a disc in the middle. */
  disc: string | undefined;
}

/** A colour has three or six digits; one more in front is the number of parts. */
const partOf = (text: string): Flag['parts'][number] => {
  const isCounted = text.length === 4 || text.length === 7;
  return { colour: `#${isCounted ? text.slice(1) : text}`, parts: isCounted ? Number(text[0]) : 1 };
};

const flags = new Map<string, Flag>(
  lines
    .trim()
    .split('\n')
    .map(line => {
      const [code, kind, ...colours] = line.split(' ') as [string, Flag['kind'], ...string[]];
      const parts = colours.filter(text => !text.startsWith('@')).map(partOf);
      return [code, { kind, parts, disc: colours.find(text => text.startsWith('@'))?.replace('@', '#') }];
    }),
);

/** Undefined for a country whose flag has no line. */
export const flagOf = (code: string): Flag | undefined => flags.get(code);
