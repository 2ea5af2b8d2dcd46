import type { ApiExtension } from '@fnlet/apiserver/extension';
import type { OperatorWays, WakeOutcome } from '@fnlet/eventing';
import type { Invoker } from '@fnlet/invocation';
import type { ObjectKey } from '@fnlet/machinery';
import type { Hub } from '@fnlet/operators';

/**
 * Operators as the API shows what they did, and as Triggers reach them: there is a hub once there
 * is an Operator.
 */
export class LateOperators implements OperatorWays {
  readonly api: ApiExtension;
  #hub: Hub | undefined;
  #invoke: Invoker | undefined;
  readonly #listeners = new Set<(operator: ObjectKey) => void>();

  constructor() {
    this.api = {
      group: 'operators.fnlet.dev',
      answer: async (route, request) => {
        const { answerOperators } = await import('./operators-api.ts');
        return answerOperators({ hub: this.#hub, invoke: this.#invoke, route, request });
      },
    };
  }

  /** There is an Operator now; their functions are called by `invoke`. */
  begin(hub: Hub, invoke: Invoker): void {
    this.#hub = hub;
    this.#invoke = invoke;
    hub.subscribe((operator) => {
      for (const listener of this.#listeners) listener(operator);
    });
  }

  has(operator: ObjectKey): boolean {
    return this.#hub?.has(operator) ?? false;
  }

  async wake(operator: ObjectKey, object: ObjectKey, by: string): Promise<WakeOutcome> {
    return (await this.#hub?.wake(operator, object, by)) ?? 'notRunning';
  }

  subscribe(listener: (operator: ObjectKey) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
