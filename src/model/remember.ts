/** Working something out once, when it is first needed. */

/** Makes a value when it is first needed. */
export const lazy = <V>(make: () => V): (() => V) => {
  let made: V | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

/** Calls `find` once for each name. */
export const rememberByName = <N extends string, V>(find: (name: N) => V): ((name: N) => V) => {
  const known = new Map<N, V>();
  return name => {
    let value = known.get(name);
    if (value === undefined) {
      value = find(name);
      known.set(name, value);
    }
    return value;
  };
};

/**
 * Calls `find` once for each id. It returns a number from 0 to 254. Ids are dense, so a byte for
 * each is small.
 */
export const rememberById = (find: (id: number) => number): ((id: number) => number) => {
  /** One more than what was found; 0 if `find` was not called yet. */
  let known = new Uint8Array(1024);
  return id => {
    if (id >= known.length) {
      const larger = new Uint8Array(2 * id);
      larger.set(known);
      known = larger;
    }
    if (known[id] === 0) known[id] = 1 + find(id);
    return known[id]! - 1;
  };
};
