/** The paths that a route takes, one segment after the other. */
export interface RoutePath {
  /** Octets as latin1, nothing percent-encoded; `undefined` for a parameter: any but an empty one. */
  readonly segments: readonly (string | undefined)[];
  /**
   * What may follow: nothing; a slash and whatever comes after it, as one more parameter; or
   * nothing, or a slash and whatever comes after it.
   */
  readonly end: 'exact' | 'rest' | 'prefix';
  /** Names of the parameters, from left to right. */
  readonly parameters: readonly string[];
}

/** A path as people write it. */
export interface WrittenPath {
  readonly kind: 'exact' | 'prefix' | 'pattern';
  /** Starts with `/`; in a pattern `{name}` is a segment, and `{name...}` at the end is the rest. */
  readonly text: string;
}

const parameterForm = /^\{([^{}]+?)(\.\.\.)?\}$/;

/** Reads a path that people wrote. What is percent-encoded in it stands for its octet. */
export function parseRoutePath({ kind, text }: WrittenPath): RoutePath {
  const written = text.slice(1).split('/');
  if (kind === 'exact') {
    return { segments: written.map(literalOctets), end: 'exact', parameters: [] };
  }
  if (kind === 'prefix') {
    // The slash at its end says nothing: /a/ is the prefix of all that /a is (Gateway API).
    if (written.at(-1) === '') written.pop();
    return { segments: written.map(literalOctets), end: 'prefix', parameters: [] };
  }
  const parameters = written.flatMap((segment) => parameterForm.exec(segment)?.[1] ?? []);
  const isOpen = parameterForm.exec(written.at(-1) ?? '')?.[2] !== undefined;
  const segments = (isOpen ? written.slice(0, -1) : written).map((segment) =>
    parameterForm.test(segment) ? undefined : literalOctets(segment),
  );
  return { segments, end: isOpen ? 'rest' : 'exact', parameters };
}

/** What tells a path from others: those that take the same requests are the same text. */
export function formatRoutePath({ segments, end }: RoutePath): string {
  const parts = segments.map((segment) =>
    segment === undefined ? '{}' : encodeURIComponent(segment),
  );
  if (end === 'rest') parts.push('{...}');
  if (end === 'prefix') parts.push('{*}');
  return `/${parts.join('/')}`;
}

function literalOctets(segment: string): string {
  return decodeOctets(Buffer.from(segment).toString('latin1'));
}

/** Octets (as latin1) without their percent-encoding; what is none is left as it is. */
export function decodeOctets(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%([\da-fA-F]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
