import { ContractError, type ContractErrorCode } from './contract.ts';

export type Json = Readonly<Record<string, unknown>>;

/** Reads fields of one side's message, and says which one is wrong. */
export interface Reading {
  readonly code: ContractErrorCode;
  /** What is read, as messages call it: `the call`. */
  readonly what: string;
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is an object with all that names one. */
export function isObject(
  value: unknown,
): value is Json & { readonly apiVersion: string; readonly kind: string; readonly metadata: Json } {
  return (
    isJson(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    isJson(value.metadata) &&
    typeof value.metadata.name === 'string'
  );
}

export function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

/** Every item of a list, each read with its path. */
export function readList<T>(
  reading: Reading,
  [path, value]: readonly [path: string, value: unknown],
  read: (item: unknown, path: string) => T,
): T[] {
  if (!Array.isArray(value)) throw broken(reading, [path, value], 'a list');
  return value.map((item: unknown, index) => read(item, `${path}[${index}]`));
}

/** What is to be thrown for a field that is not what the contract says. */
export function broken(
  { code, what }: Reading,
  [path, found]: readonly [path: string, found: unknown],
  expected: string,
): ContractError {
  const where = path === '' ? what : `"${path}" of ${what}`;
  const text = JSON.stringify(found) ?? typeof found;
  const short = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return new ContractError(code, `Cannot read ${where}: found ${short}, expected ${expected}`);
}
