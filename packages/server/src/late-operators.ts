import type { ApiExtension } from '@fnlet/apiserver';
import type { Hub } from '@fnlet/operators';

/** Operators as the API shows what they did: there is a hub once there is an Operator. */
export class LateOperators {
  readonly api: ApiExtension;
  #hub: Hub | undefined;

  constructor() {
    this.api = {
      group: 'operators.fnlet.dev',
      answer: async (route, request) => {
        const { answerOperators } = await import('./operators-api.ts');
        return answerOperators({ hub: this.#hub, route, request });
      },
    };
  }

  /** There is an Operator now. */
  begin(hub: Hub): void {
    this.#hub = hub;
  }
}
