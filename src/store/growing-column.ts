/** An array of unsigned 32-bit integers that grows by doubling. */
export class GrowingColumn {
  #values = new Uint32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Uint32Array(2 * this.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  /** A view of what was pushed so far; good until the next push. */
  values(): Uint32Array {
    return this.#values.subarray(0, this.length);
  }
}
