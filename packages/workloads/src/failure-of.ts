/**
 * What the work failed with; `undefined` where it went well. A controller whose Pods are refused
 * tells first how many there are, and what has ended, and fails then.
 *
 * @throws what the work throws once `signal` has aborted: nothing is to be told any more
 */
export async function failureOf(
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<Error | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    return error;
  }
}
