/** Reads headers of a request. */

/**
 * The token of `authorization: Bearer …`: the scheme is matched in any case, and the token trimmed.
 */
export const bearerToken = (header: string | undefined): string | undefined =>
  /^\s*bearer\s(.*)$/is.exec(header ?? '')?.[1]?.trim();

/** Whether an `accept-encoding` header accepts an encoding. */
export const acceptsEncoding = (header: string | undefined, encoding: string): boolean =>
  (header ?? '').split(',').some(part => {
    const [name, ...parameters] = part.split(';').map(text => text.trim().toLowerCase());
    return name === encoding && !parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter));
  });
