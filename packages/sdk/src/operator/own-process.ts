/**
 * What `fnlet/operator` offers to an operator in a process of its own, as it is inside of a
 * Function. There operators are called by whoever watches for them: nothing can be run, and what
 * wakes keys has nobody to wake. The names are here, so that a file whose last line runs it when it
 * is the program is loaded in both places; calling them is a mistake, and says so.
 */

/** @throws Error always */
export function run(..._: readonly unknown[]): Promise<never> {
  const remedy = 'it is called when something changes. Write: if (import.meta.main) await run(…)';
  return Promise.reject(new Error(`Cannot run an operator inside of a Function: ${remedy}`));
}

/** @throws Error always */
export function createManager(..._: readonly unknown[]): never {
  throw inFunction('run a manager');
}

/** @throws Error always */
export function poll(..._: readonly unknown[]): never {
  throw inFunction('poll for changes');
}

/** @throws Error always */
export function channel(..._: readonly unknown[]): never {
  throw inFunction('open a channel');
}

/** @throws Error always */
export function webhook(..._: readonly unknown[]): never {
  throw inFunction('listen for calls');
}

function inFunction(what: string): Error {
  const remedy = 'It is for an operator in a process of its own: use it within run(…)';
  return new Error(`Cannot ${what} inside of a Function. ${remedy}`);
}
