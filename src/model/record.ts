/** Whether a JSON value is an object, and neither null nor an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object that a text of JSON is; null when it is something else. Never throws. */
export const recordIn = (text: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null; // Not JSON is one of the ways not to be an object.
  }
};
