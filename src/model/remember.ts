/** Working something out once, when it is first needed. */

/** Makes a value when it is first needed. */
export const lazy = <V>(make: () => V): (() => V) => {
  let made: V | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

/** Calls `find` once for each name or number. */
export const remember = <K extends string | number, V>(find: (key: K) => V): ((key: K) => V) => {
  const known = new Map<K, V>();
  return key => {
    let value = known.get(key);
    if (value === undefined) {
      value = find(key);
      known.set(key, value);
    }
    return value;
  };
};

/**
 * Calls `find` once for each id. It returns a number from 0 to 254, or more where `List` has room
 * for more. Ids are dense, so a byte for each is small.
 */
export const rememberById = (
  find: (id: number) => number,
  List: Uint8ArrayConstructor | Uint32ArrayConstructor = Uint8Array,
): ((id: number) => number) => {
  /** One more than what was found; 0 if `find` was not called yet. */
  let known = new List(1024);
  return id => {
    if (id >= known.length) {
      const larger = new List(2 * id);
      larger.set(known);
      known = larger;
    }
    if (known[id] === 0) known[id] = 1 + find(id);
    return known[id]! - 1;
  };
};
