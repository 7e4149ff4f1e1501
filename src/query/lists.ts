/** The numbers of some lists, one list after the other. */
export const concat = (lists: readonly Float64Array[]): Float64Array => {
  const all = new Float64Array(lists.reduce((length, list) => length + list.length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
};
