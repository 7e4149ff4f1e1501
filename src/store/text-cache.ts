/**
 * Ids of the texts that were met last, for the dozen that every hit looks up. A map per site, so that no key has to be
 * made of site and text; and two generations in place of a list in order of use, so that a look-up writes nothing. What is
 * found in the old generation moves to the young one; when that is full it becomes the old one, and the old one is dropped.
 */
type Generation = Map<number, Map<string, number>>;

export class TextCache {
  readonly #generationMax: number;
  #young: Generation = new Map();
  #old: Generation = new Map();
  #youngSize = 0;

  /** Keeps at most `max` texts, and at least the half of them that was looked up last. */
  constructor(max: number) {
    this.#generationMax = max / 2;
  }

  get(siteId: number, text: string): number | undefined {
    const id = this.#young.get(siteId)?.get(text);
    if (id !== undefined) return id;
    const old = this.#old.get(siteId)?.get(text);
    if (old !== undefined) this.set(siteId, text, old);
    return old;
  }

  set(siteId: number, text: string, id: number): void {
    if (this.#youngSize >= this.#generationMax) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
    }
    let ofSite = this.#young.get(siteId);
    if (ofSite === undefined) {
      ofSite = new Map();
      this.#young.set(siteId, ofSite);
    }
    ofSite.set(text, id);
    this.#youngSize++;
  }

  delete(siteId: number, text: string): void {
    this.#young.get(siteId)?.delete(text);
    this.#old.get(siteId)?.delete(text);
  }
}
