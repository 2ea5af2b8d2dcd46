import { isJsonObject, type JsonObject } from '@fnlet/base';

/**
 * What the placeholders of recorded answers stand for in this run. The same placeholder always
 * stands for the same value; it is learned from the first answer that has it.
 */
export class Bindings {
  readonly #values = new Map<string, string>();

  /** Recorded texts name a resourceVersion that is nobody's in particular `<rv>`. */
  #newest = '';

  learn(placeholder: string, value: string): boolean {
    const known = this.#values.get(placeholder);
    const isRevision = placeholder.startsWith('<rv-');
    // Whoever wrote more or less often than the recorded server still goes on from where it is.
    if (known === undefined || isRevision) this.#values.set(placeholder, value);
    if (isRevision) this.#newest = value;
    return known === undefined || known === value;
  }

  /** Ownership of list items has their uids in its keys. */
  fillKeys(value: JsonObject): JsonObject {
    const entries = Object.entries(value).map(([key, item]) => [String(this.fill(key)), item]);
    return Object.fromEntries(entries);
  }

  /** A recorded request with everything that is known put in. */
  fill(value: unknown): unknown {
    if (typeof value === 'string') {
      return value
        .replace(/<(?:uid|rv|continue)-\d+>/g, (name) => this.#values.get(name) ?? name)
        .replaceAll('<rv>', this.#newest)
        .replaceAll('<time>', '2026-01-01T00:00:00Z');
    }
    if (Array.isArray(value)) return value.map((item) => this.fill(item));
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).map(([key, item]) => [key, this.fill(item)]);
    return Object.fromEntries(entries);
  }
}

/** Where in an answer, and what is known about its placeholders. */
export interface Place {
  readonly bindings: Bindings;
  readonly path: string;
}

/** Where an answer differs from the recorded one; empty when it does not. */
export function differences(expected: unknown, actual: unknown, at: Place): readonly string[] {
  const { path } = at;
  if (typeof expected === 'string') return textDifferences(expected, actual, at);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) {
      return [`${path}: expected ${short(expected)}, found ${short(actual)}`];
    }
    return expected.flatMap((item, i) =>
      differences(item, actual[i], { ...at, path: `${path}[${i}]` }),
    );
  }
  if (isJsonObject(expected)) {
    if (!isJsonObject(actual))
      return [`${path}: expected ${short(expected)}, found ${short(actual)}`];
    const filled = at.bindings.fillKeys(expected);
    const keys = new Set([...Object.keys(filled), ...Object.keys(actual)]);
    return [...keys].flatMap((key) => {
      const before = isAbsent(filled[key]) ? undefined : filled[key];
      const after = isAbsent(actual[key]) ? undefined : actual[key];
      if (before === undefined && after === undefined) return [];
      return differences(before, after, { ...at, path: `${path}.${key}` });
    });
  }
  return expected === actual
    ? []
    : [`${path}: expected ${short(expected)}, found ${short(actual)}`];
}

// Go leaves empty texts out in some places and writes them in others.
function isAbsent(value: unknown): boolean {
  return value === '' || value === undefined;
}

function textDifferences(
  expected: string,
  actual: unknown,
  { bindings, path }: Place,
): readonly string[] {
  const found = `${path}: expected ${short(expected)}, found ${short(actual)}`;
  if (typeof actual !== 'string') return [found];
  if (/^<(uid|rv|continue)-\d+>$/.test(expected)) {
    return bindings.learn(expected, actual) ? [] : [found];
  }
  const source = expected
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/<(?:uid|rv)-\d+>|<time(?:-micro)?>|<rv>|<uid>|<rand>|<n>/g, '.+');
  if (new RegExp(`^${source}$`, 's').test(actual)) return [];
  return [found];
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
