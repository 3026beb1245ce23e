// Counts, and their texts.

/// Tells whether a value of the server or the storage is a count.
export function isCount(value) { return Number.isSafeInteger(value) && value >= 0; }

/// Returns "12,345".
export const number = (value) => value.toLocaleString('en');

export function percent(part, whole) { return whole > 0 ? Math.round(100 * part / whole) : 0; }
