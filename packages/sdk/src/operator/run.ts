/**
 * Runs operators in a process of their own, where `fnlet/operator` is the whole operator runtime.
 * Inside of a Function this door is the light half: there operators are called by whoever watches
 * for them, so that a file whose last line runs it when it is the program is loaded in both places.
 *
 * @throws Error always
 */
export function run(..._: readonly unknown[]): Promise<never> {
  const text = 'Cannot run an operator inside of a Function: it is called when something changes';
  return Promise.reject(new Error(`${text}. Write: if (import.meta.main) await run(…)`));
}
