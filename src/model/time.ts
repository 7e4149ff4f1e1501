/**
 * UTC arithmetic. All instants are integer milliseconds since 1970-01-01T00:00:00Z; a day is their
 * quotient by 86,400,000.
 */

export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

/** The UTC day an instant falls on: the unit of storage (a day is open, then sealed). */
export const utcDayOf = (at: number): number => Math.floor(at / dayMs);

/** `2026-11-20T14:00:00.000Z`: an instant in ISO 8601. */
export const isoTime = (at: number): string => new Date(at).toISOString();

/** The same of what may never have been. */
export const isoTimeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at));

/** `2026-11-20` for a UTC day number. */
export const utcDayName = (day: number): string => isoTime(day * dayMs).slice(0, 10);
