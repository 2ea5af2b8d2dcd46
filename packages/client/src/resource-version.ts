/**
 * Whether `a` is an older resourceVersion than `b`. Versions of one resource may be compared as
 * decimals of any size (KEP-5504): more digits is newer. Anything else is not older.
 */
export function isOlderVersion(a: string | undefined, b: string | undefined): boolean {
  if (!isDecimal(a) || !isDecimal(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}

function isDecimal(version: string | undefined): version is string {
  return version !== undefined && /^(0|[1-9]\d*)$/.test(version);
}
