/** A version as https://semver.org writes it. */
export interface Semver {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: readonly string[];
}

const part = '(0|[1-9]\\d*)';
const strict = new RegExp(
  `^${part}\\.${part}\\.${part}(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?(?:\\+[0-9A-Za-z.-]+)?$`,
);

/** Reads `1.2.3-rc.1+build`; `undefined` when the text is no version. */
export function parseSemver(text: string): Semver | undefined {
  const match = strict.exec(text);
  if (match === null) return undefined;
  const [, major = '0', minor = '0', patch = '0', prerelease] = match;
  const identifiers = prerelease === undefined ? [] : prerelease.split('.');
  if (identifiers.some((one) => /^0\d+$/.test(one))) return undefined;
  return {
    major: BigInt(major),
    minor: BigInt(minor),
    patch: BigInt(patch),
    prerelease: identifiers,
  };
}

/** Reads what is nearly a version: a leading `v`, leading zeros, missing minor or patch. */
export function parseLooseSemver(text: string): Semver | undefined {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?([-+].*)?$/.exec(text);
  if (match === null) return undefined;
  const numbers = match.slice(1, 4).map((number) => BigInt(number ?? '0').toString());
  return parseSemver(`${numbers.join('.')}${match[4] ?? ''}`);
}

/** Negative, zero or positive: the precedence of `a` and `b` (semver.org, §11). */
export function compareSemver(a: Semver, b: Semver): number {
  return (
    compare(a.major, b.major) ||
    compare(a.minor, b.minor) ||
    compare(a.patch, b.patch) ||
    comparePrerelease(a.prerelease, b.prerelease)
  );
}

function compare<T extends bigint | string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function comparePrerelease(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0)
    return compare(b.length === 0 ? 0 : 1, a.length === 0 ? 0 : 1);
  for (const [i, left] of a.entries()) {
    const right = b[i];
    if (right === undefined) return 1;
    const order = compareIdentifier(left, right);
    if (order !== 0) return order;
  }
  return compare(a.length, b.length);
}

function compareIdentifier(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOtherNumber) return compare(BigInt(a), BigInt(b));
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return compare(a, b);
}
