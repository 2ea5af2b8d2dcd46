/** Works on every item, on at most `concurrency` at once; `work` does not reject. */
export async function inParallel<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const workers = Array.from({ length: Math.min(concurrency, items.length) }, async () => {
    for (const item of rest) await work(item);
  });
  await Promise.all(workers);
}
