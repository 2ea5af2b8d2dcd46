/**
 * Who waits for a child that somebody else controls: when it changes or goes, they look again. The
 * child's own events concern only whom it belongs to.
 *
 * I1. A primary is noted while its last run was refused a child, and with that child only.
 */
import type { Cache } from '@fnlet/client';
import { formatObjectKey, type KubeObject, type ObjectKey, objectKey } from '@fnlet/machinery';
import { childId, formatChildId } from '../apply/child-id.ts';
import type { ChildOutcome } from '../apply/child-outcome.ts';
import type { Source } from '../source/source.ts';

export class BlockedChildren {
  /** By child: the primaries that wait for it. */
  readonly #waiting = new Map<string, Map<string, ObjectKey>>();
  /** By primary: the children that it waits for. */
  readonly #blocked = new Map<string, readonly string[]>();

  /** Notes what a run for this primary was refused, instead of what the last one was. */
  note(primary: KubeObject, outcomes: readonly ChildOutcome[]): void {
    this.forget(objectKey(primary));
    const children = outcomes.flatMap((outcome) =>
      outcome.kind === 'blocked' && outcome.reason === 'ForeignOwner' ? [outcome.key] : [],
    );
    if (children.length === 0) return;
    const key = objectKey(primary);
    const name = formatObjectKey(key);
    this.#blocked.set(name, children);
    for (const child of children) {
      const waiting = this.#waiting.get(child) ?? new Map<string, ObjectKey>();
      this.#waiting.set(child, waiting.set(name, key));
    }
  }

  /** The primary waits for nothing any more. */
  forget(primary: ObjectKey): void {
    const name = formatObjectKey(primary);
    for (const child of this.#blocked.get(name) ?? []) {
      const waiting = this.#waiting.get(child);
      waiting?.delete(name);
      if (waiting?.size === 0) this.#waiting.delete(child);
    }
    this.#blocked.delete(name);
  }

  /** The changes of these children, for those who wait. */
  source(cache: Cache<KubeObject>): Source {
    return {
      synced: cache.synced,
      start: (enqueue) =>
        cache.subscribe(({ object }) => {
          if (this.#waiting.size === 0) return;
          const waiting = this.#waiting.get(formatChildId(childId(object)));
          for (const key of waiting?.values() ?? []) enqueue(key);
        }),
    };
  }
}
