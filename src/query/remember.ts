/** What was found out about an id, by id: ids are dense, so a byte for each is small. */
export const rememberById = (test: (id: number) => boolean): ((id: number) => boolean) => {
  const [unknown, no, yes] = [0, 1, 2];
  let known = new Uint8Array(1024);
  return id => {
    if (id >= known.length) {
      const larger = new Uint8Array(2 * id);
      larger.set(known);
      known = larger;
    }
    if (known[id] === unknown) known[id] = test(id) ? yes : no;
    return known[id] === yes;
  };
};
