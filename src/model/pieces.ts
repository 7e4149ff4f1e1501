/** Texts gathered into pieces that are worth a write each. */
export function* inPieces(texts: Iterable<string>, charsMin = 16_384): Generator<string> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < charsMin) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
