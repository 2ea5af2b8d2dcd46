/**
 * What `work` comes to, unless `signal` aborts first: then whoever waits is told at once, and the
 * work goes on for others.
 *
 * @throws what `work` throws, or the signal's reason
 */
export async function unlessAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
