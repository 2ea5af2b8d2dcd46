interface ParsedVersion {
  readonly stability: number;
  readonly major: number;
  readonly minor: number;
}

/** Kubernetes' order of versions of an API: v2 before v1, v1 before v1beta2, anything else last. */
export function compareVersions(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1;
    if (right !== undefined) return 1;
    return a < b ? -1 : 1;
  }
  if (left.stability !== right.stability) return right.stability - left.stability;
  if (left.major !== right.major) return right.major - left.major;
  return right.minor - left.minor;
}

function parseVersion(text: string): ParsedVersion | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const stability = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
  return { stability, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
