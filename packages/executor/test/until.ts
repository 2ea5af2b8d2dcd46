import assert from 'node:assert/strict';

/**
 * Waits for a condition outside of this thread, and for no longer than a busy machine takes: each of
 * several Pods is a Node that starts, beside other tests.
 */
export async function until<T>(condition: () => T | Promise<T>): Promise<NonNullable<T>> {
  const endMs = performance.now() + 60_000;
  for (;;) {
    const found = await condition();
    if (found !== undefined && found !== null && found !== false) return found;
    assert.ok(performance.now() < endMs, 'the condition holds in the end');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
