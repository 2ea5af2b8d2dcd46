import {
  type OperatorObject,
  operatorConditions,
  operatorReasons,
  operatorType,
  parseOperator,
} from '@fnlet/api';
import { sleep } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { type Condition, findCondition, type KubeObject, type ObjectKey } from '@fnlet/machinery';
import type { CliContext } from '../../cli-context.ts';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';

/** Where an Operator is on the way from applied to ready. */
export type OperatorRollout =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string }
  | { readonly kind: 'progressing'; readonly step: string };

/** Reasons that no waiting changes: somebody has to. */
const final: ReadonlySet<string> = new Set([
  operatorReasons.invalidSpec,
  operatorReasons.definitionRefused,
  operatorReasons.functionTaken,
  operatorReasons.paused,
]);

/**
 * Reads it off the conditions about the object's present generation. A permission, a kind or a
 * Function that is missing may just have been applied: those are waited for.
 */
export function decideOperatorRollout({ metadata, status }: OperatorObject): OperatorRollout {
  const current = (status?.conditions ?? []).filter(
    ({ observedGeneration }) => observedGeneration === metadata.generation,
  );
  const ready = findCondition(current, operatorConditions.ready);
  if (ready?.status === 'True') return { kind: 'ready' };
  if (ready?.status === 'False' && final.has(ready.reason ?? '')) {
    return { kind: 'failed', reason: ready.reason ?? '', message: ready.message ?? '' };
  }
  return { kind: 'progressing', step: describe(firstUnmet(current) ?? ready) };
}

function firstUnmet(conditions: readonly Condition[]): Condition | undefined {
  const { kindsServed, permissionsGranted, functionReady } = operatorConditions;
  return [kindsServed, permissionsGranted, functionReady]
    .map((type) => findCondition(conditions, type))
    .find((condition) => condition?.status === 'False');
}

function describe(condition: Condition | undefined): string {
  const { reason = '', message = '' } = condition ?? {};
  if (reason === '') return 'waiting for the hub';
  return message === '' ? reason : `${reason}: ${message}`;
}

/**
 * Waits until the Operator is ready.
 *
 * @throws CliError `notReady`, `timedOut` with the step that it has come to
 */
export async function waitForOperator(
  client: Client,
  {
    key,
    timeoutMs,
    onStep,
  }: {
    readonly key: ObjectKey;
    readonly timeoutMs: number;
    readonly onStep: (step: string) => void;
  },
  { clock, signal }: Pick<CliContext, 'clock' | 'signal'>,
): Promise<void> {
  const operators = client.of<KubeObject>(operatorType);
  const endMs = clock.monotonicMs() + timeoutMs;
  let last = '';
  while (clock.monotonicMs() < endMs) {
    const rollout = decideOperatorRollout(parseOperator(await operators.get(key, { signal })));
    if (rollout.kind === 'ready') return;
    if (rollout.kind === 'failed') {
      const { reason, message } = rollout;
      const text = `Operator "${key.name}" is not ready: ${reason}: ${message}`;
      throw new CliError(exitCodes.notReady, text, { remedy: lookAt(key) });
    }
    if (rollout.step !== last) onStep(rollout.step);
    last = rollout.step;
    await sleep(clock, lookMs, signal);
    if (signal.aborted) throw new CliError(exitCodes.failed, 'Interrupted');
  }
  const text = `Cannot wait any longer for Operator "${key.name}": still ${last}`;
  throw new CliError(exitCodes.timedOut, text, { remedy: lookAt(key) });
}

function lookAt({ namespace, name }: ObjectKey): string {
  return `Look at it with: kubectl describe operator ${name} -n ${namespace}`;
}

/** Between two looks: nobody notices so short a time, and an API many of them neither. */
const lookMs = 100;
