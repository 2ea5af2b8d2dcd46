/** Whether, and when, it makes sense to try again what failed. */
export type Retry = 'never' | 'later' | { readonly afterMs: number };

export interface FnletErrorOptions {
  /** What failed beneath; kept so that the whole chain can be logged. */
  readonly cause?: unknown;
  /** Whether trying again can help. Default `'never'`. */
  readonly retry?: Retry;
  /** One sentence that tells the reader what to do next. */
  readonly remedy?: string;
}

/**
 * An operating error: something outside did not go as hoped. Recognise it by `code`, never by its
 * message. Each room closes its own union of codes by subclassing with a literal type.
 *
 * Messages read: Cannot <verb> <thing> "<key>": <what was found>, expected <what>.
 */
export class FnletError<Code extends string = string> extends Error {
  override readonly name: string = 'FnletError';
  readonly code: Code;
  readonly retry: Retry;
  readonly remedy: string | undefined;

  constructor(code: Code, message: string, options: FnletErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retry = options.retry ?? 'never';
    this.remedy = options.remedy;
  }
}

/** Whether `error` is an operating error with this code, across rooms and copies of a module. */
export function hasCode<Code extends string>(
  error: unknown,
  code: Code,
): error is Error & { readonly code: Code } {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** The text of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A programmer error: an invariant of this code does not hold. On in production. */
export function assert(condition: unknown, text: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant: ${text}`);
}

/** Closes a union: a case that the types rule out was reached at run time. */
export function unreachable(value: never): never {
  throw new Error(`Broken invariant: unexpected value ${JSON.stringify(value)}`);
}
