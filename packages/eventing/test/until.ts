export interface UntilOptions {
  /** What is waited for, for the message when it does not come. */
  readonly what: string;
  /** Default 20 000. */
  readonly timeoutMs?: number;
}

/**
 * Waits until `condition` holds (truthy) and returns its value. Asks often: the wait ends within
 * milliseconds of the condition, and fails with a message instead of hanging.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { what, timeoutMs = 20_000 }: UntilOptions,
): Promise<NonNullable<T>> {
  const endMs = performance.now() + timeoutMs;
  let lastError: unknown;
  while (performance.now() < endMs) {
    try {
      const value = await condition();
      if (value) return value;
    } catch (error) {
      lastError = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`Waited ${timeoutMs} ms in vain for ${what}`, { cause: lastError });
}
