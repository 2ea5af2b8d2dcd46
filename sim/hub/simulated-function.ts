import { type Clock, type Random, sleep } from '@fnlet/base';
import type { Invoker } from '@fnlet/invocation';
import { type OperatorCall, type ReconcileCall, serveOperator } from '@fnlet/sdk/operator-wire';
import type { RunWatch } from '../run-watch.ts';
import { sites } from './site.ts';

export interface SimulatedFunctionOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly watch: RunWatch;
  /** Whether it may be slow, busy, or crash. */
  readonly isFateful: () => boolean;
  /** Told of each answer when it leaves: the object is the one that it is about. */
  readonly onAnswer?: (object: ReconcileCall['object']) => void;
}

/** Who calls: its calls end with it. */
export interface Caller {
  readonly who: object;
  readonly clock: Clock;
}

/** The Function behind the hub, as replicas call it. */
export function simulatedFunction(options: SimulatedFunctionOptions): (caller: Caller) => Invoker {
  const { random, watch, isFateful, onAnswer } = options;
  return ({ who, clock }) =>
    async ({ body }, signal) => {
      const call: OperatorCall = JSON.parse(Buffer.from(body).toString());
      const { namespace = '', name } = 'object' in call ? call.object.metadata : { name: '' };
      const answer = await watch.during(
        { who, what: 'site', key: { namespace, name } },
        async () => {
          const fate = isFateful() ? random.next() : 1;
          if (fate < 0.1) return failure(502, 'InstanceGone', undefined);
          if (fate < 0.2) return failure(503, 'QueueFull', 2000);
          // One in twenty hangs until its caller gives it up.
          await sleep(clock, fate < 0.25 ? 60_000 : random.next() * 1500, signal);
          if (signal.aborted) return failure(499, 'CallAborted', undefined);
          const serve = serveOperator(sites, {
            after: (ms, act) => {
              const timer = clock.after(ms, act);
              return () => timer.cancel();
            },
          });
          const text = JSON.stringify(await serve(call, signal));
          if ('object' in call) onAnswer?.(call.object);
          const octets = Buffer.from(text);
          return {
            kind: 'answered',
            status: 200,
            headers: [],
            body: octets,
            truncated: false,
          } as const;
        },
      );
      return answer;
    };
}

function failure(status: number, reason: string, retryAfterMs: number | undefined) {
  const told = { status, reason, message: reason, reached: true, retryAfterMs };
  return { kind: 'failed', ...told } as const;
}
