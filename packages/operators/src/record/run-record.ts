import type { KubeObject } from '@fnlet/machinery';
import type { RunCause } from '@fnlet/reconcile';
import type { OperatorAnswer, ReconcileCall } from '@fnlet/sdk/operator-wire';

/**
 * One call of a function and what came of it, as it is kept and as the API shows it
 * (`operators.fnlet.dev`, resource `runs`).
 */
export interface RunRecord {
  /** Sorts by time; unique among the runs of an operator. */
  readonly id: string;
  /** The Operator object. */
  readonly operator: { readonly namespace: string; readonly name: string };
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
  };
  readonly what: 'reconcile' | 'cleanup';
  /** The idempotency key: the same for all tries of one run. */
  readonly run: string;
  readonly attempt: number;
  /** Which event, or what else, asked for it. */
  readonly reason: string;
  /** RFC 3339. */
  readonly startedAt: string;
  /** All of it, and the part that the function took. */
  readonly tookMs: number;
  readonly callMs: number;
  /** The Revision of the Function that was called, as far as it was known. */
  readonly revision?: string;
  /** SHA-256 of what was sent, in hex. */
  readonly inputDigest: string;
  readonly inputBytes: number;
  /** What was sent; absent where it was too large to be kept. */
  readonly input?: ReconcileCall;
  readonly answer?: OperatorAnswer;
  /** What was written of children, such as `created Deployment default/web`. */
  readonly writes: readonly string[];
  /**
   * `done`; `requeued` for a time of its own; `failed`; `stale`: the object has changed meanwhile, so
   * nothing was done, and it is called again.
   */
  readonly outcome: 'done' | 'requeued' | 'failed' | 'stale';
  readonly error?: { readonly reason: string; readonly message: string };
  /** When it asked to be run again, RFC 3339. */
  readonly nextDue?: string;
}

/** Why a run was made, in words. */
export function describeCause(cause: RunCause | undefined): string {
  if (cause === undefined) return 'it was asked for';
  switch (cause.kind) {
    case 'requeue':
      return 'its time has come';
    case 'retry':
      return 'the last run failed';
    case 'resync':
      return 'all objects are looked at again';
    case 'moved':
      return 'it has moved to this replica';
    case 'asked':
      return `${cause.by} asked for it`;
    case 'updated':
      return `${nameOf(cause.object)} was updated${generationOf(cause.old, cause.object)}`;
    default:
      return `${nameOf(cause.object)} was ${cause.kind}`;
  }
}

function nameOf({ kind, metadata: { namespace, name } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

function generationOf(old: KubeObject, { metadata: { generation } }: KubeObject): string {
  const isAsked = generation !== undefined && old.metadata.generation !== generation;
  return isAsked ? ` to generation ${generation}` : '';
}
