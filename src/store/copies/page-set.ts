/** A set of page numbers, a bit for each: all pages of a large database must fit. */
export interface PageSet {
  readonly size: number;
  add(page: number): void;
  /** Takes up to `count` pages out, in order. */
  take(count: number): number[];
}

export const pageSet = (): PageSet => {
  let words = new Uint32Array(1024);
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(page) {
      const word = page >>> 5;
      if (word >= words.length) {
        const more = new Uint32Array(2 * word);
        more.set(words);
        words = more;
      }
      const bit = (1 << (page & 31)) >>> 0;
      if ((words[word]! & bit) !== 0) return;
      words[word]! |= bit;
      size++;
    },
    take(count) {
      const pages: number[] = [];
      for (let word = 0; word < words.length && pages.length < count && size > 0; word++) {
        while (words[word] !== 0 && pages.length < count) {
          const lowest = words[word]! & -words[word]!;
          words[word]! ^= lowest;
          size--;
          pages.push(word * 32 + 31 - Math.clz32(lowest));
        }
      }
      return pages;
    },
  };
};
