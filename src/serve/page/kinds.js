// Kinds of values that come from elsewhere.

export function isText(value) { return typeof value === 'string'; }

export function isObject(value) { return value !== null && typeof value === 'object' && !Array.isArray(value); }
