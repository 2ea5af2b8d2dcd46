import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import type { Explanation } from '../record/explanation.ts';
import type { KnownObject } from './object-book.ts';

/** What an explanation is made of. */
export interface ExplainParts extends Pick<Explanation, 'operator'> {
  readonly type: { readonly apiVersion: string; readonly kind: string };
  readonly key: ObjectKey;
  /** As the operator sees it. */
  readonly object: KubeObject | undefined;
  readonly known: KnownObject | undefined;
  readonly paused: boolean;
}

/** Why an object is as it is, from what is known of it. */
export function explainObject(parts: ExplainParts): Explanation {
  const { operator, type, key, object, known, paused } = parts;
  const { uid, generation } = object?.metadata ?? {};
  const { last, dueMs, held } = known ?? {};
  const state = paused ? 'paused' : object === undefined ? 'unknown' : (known?.state ?? 'unknown');
  return {
    operator,
    object: {
      ...{ ...type, namespace: key.namespace, name: key.name },
      ...(uid === undefined ? {} : { uid }),
      ...(generation === undefined ? {} : { generation }),
    },
    state,
    message: messageOf(parts),
    ...(last === undefined ? {} : { lastRun: shownRun(last) }),
    ...(dueMs === undefined ? {} : { nextDue: timeOf(dueMs) }),
    ...(held === undefined
      ? {}
      : { filtered: { count: held.count, at: timeOf(held.lastMs), parts: held.parts } }),
  };
}

function messageOf({ type, object, known, paused }: ExplainParts): string {
  if (object === undefined) {
    return `The operator sees no such ${type.kind}: there is none, or its selection leaves it out`;
  }
  if (paused) return 'Nothing is run for it: the annotation fnlet.dev/paused is "true"';
  if (known === undefined) return 'It waits for its first run since the start';
  const { state, last, trouble } = known;
  if (state === 'failing')
    return `Its last run failed: ${last?.error?.message ?? 'nobody was asked'}`;
  if (state === 'waiting' && trouble !== undefined) return trouble.message;
  if (state === 'waiting') return 'It waits for children, or for another run';
  if (last === undefined) return 'It was settled before the start, and nothing has changed since';
  return 'Nothing is left to do until something changes';
}

function shownRun({
  atMs,
  ...rest
}: NonNullable<KnownObject['last']>): NonNullable<Explanation['lastRun']> {
  return { ...rest, at: timeOf(atMs) };
}

function timeOf(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
