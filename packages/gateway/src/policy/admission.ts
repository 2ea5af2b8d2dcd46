import type { RequestHead } from '../http1/request-head.ts';
import { clientAddress, type TrustedProxies } from './client-address.ts';
import type { PolicyRequest, RoutePolicy, Verdict } from './route-policy.ts';

/** What becomes of a request whose policy failed. */
export const policyFailed: Verdict = {
  kind: 'refusal',
  answer: { status: 500, code: 'PolicyFailed', message: 'Whether this may pass is unknown' },
};

/** A request before its policy. It is given up when its client goes away, or waited too long. */
export class Admission implements PolicyRequest {
  readonly head: RequestHead;
  readonly clientAddress: string;
  #controller: AbortController | undefined;

  constructor(head: RequestHead, remoteAddress: string, trusted: TrustedProxies) {
    this.head = head;
    const forwarded = head.fields.known.get('x-forwarded-for');
    this.clientAddress = clientAddress(remoteAddress, forwarded, trusted);
  }

  // Most verdicts are known at once, and nobody asks.
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** What a policy says. One that is broken is not to end the calls of others. */
  ask(policy: RoutePolicy): Verdict | Promise<Verdict> {
    try {
      return policy.admit(this);
    } catch {
      return policyFailed;
    }
  }

  /** Nobody waits for the verdict any more. */
  giveUp(): void {
    this.#controller ??= new AbortController();
    this.#controller.abort();
  }
}
