import { celError } from './cel-error.ts';
import { asBool, asString, asTagged, type CelOverload, overload } from './cel-function.ts';
import type { CelValue } from './cel-value.ts';
import { compareSemver, parseLooseSemver, parseSemver, type Semver } from './semver.ts';

/** Kubernetes' semver library. */
export const celSemverFunctions = (): readonly CelOverload[] => [
  overload('isSemver(string): bool', ([text]) => read(text, false) !== undefined),
  overload('isSemver(string, bool): bool', ([text, loose]) => read(text, loose) !== undefined),
  overload('semver(string): semver', ([text]) => parsed(text, false)),
  overload('semver(string, bool): semver', ([text, loose]) => parsed(text, loose)),
  overload('semver.major(): int', ([value]) => versionOf(value).major),
  overload('semver.minor(): int', ([value]) => versionOf(value).minor),
  overload('semver.patch(): int', ([value]) => versionOf(value).patch),
  overload('semver.compareTo(semver): int', ([a, b]) => BigInt(compare(a, b))),
  overload('semver.isGreaterThan(semver): bool', ([a, b]) => compare(a, b) > 0),
  overload('semver.isLessThan(semver): bool', ([a, b]) => compare(a, b) < 0),
];

function read(text: CelValue | undefined, loose: CelValue | undefined): Semver | undefined {
  return asBool(loose) ? parseLooseSemver(asString(text)) : parseSemver(asString(text));
}

function parsed(text: CelValue | undefined, loose: CelValue | undefined): CelValue {
  const version = read(text, loose);
  if (version === undefined) throw celError('semver parse error: no semantic version');
  return { kind: 'semver', version };
}

function versionOf(value: CelValue | undefined): Semver {
  return asTagged('semver', value).version;
}

function compare(a: CelValue | undefined, b: CelValue | undefined): number {
  return compareSemver(versionOf(a), versionOf(b));
}
