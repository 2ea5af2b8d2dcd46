import { type RuntimeResolution, resolveRuntime } from '@fnlet/api';
import type { Runtimes } from '@fnlet/executor';

/** Tells which runtime a Function means by the name that it gives. */
export class RuntimeNames {
  readonly #runtimes: Pick<Runtimes, 'look'>;

  constructor(runtimes: Pick<Runtimes, 'look'>) {
    this.#runtimes = runtimes;
  }

  resolve(asked: string): RuntimeResolution {
    return resolveRuntime(asked, { added: [], isHere: (name) => this.#isHere(name) });
  }

  #isHere(name: string): boolean {
    const state = this.#runtimes.look(name)?.state;
    return state === 'own' || state === 'found';
  }
}
