/** Lets everything that is under way go on until `condition` holds; no time passes. */
export async function settleUntil(condition: () => boolean, what: string): Promise<void> {
  for (let turn = 0; turn < 10_000; turn++) {
    if (condition()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`Waited in vain for ${what}`);
}
