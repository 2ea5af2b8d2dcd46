import type { FieldError } from '@fnlet/machinery';

/**
 * Checks one value and appends what is wrong with it to `errors`. Returns how many checks agreed,
 * by which a junctor chooses the alternative that came closest (kube-openapi: MatchCount).
 * `old` is the value before the update, or `uncorrelated`.
 */
export type ValueCheck = (
  value: unknown,
  old: unknown,
  path: string,
  errors: FieldError[],
) => number;

/** A check that needs neither the old value nor gives a count. */
export type PlainCheck<T> = (value: T, path: string, errors: FieldError[]) => void;
