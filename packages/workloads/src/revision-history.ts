import { hasCode } from '@fnlet/base';
import type { Cache, ResourceClient } from '@fnlet/client';
import { type LabelSelectorSpec, objectKey } from '@fnlet/machinery';
import { claimObjects } from './claims.ts';
import type { ControllerContext } from './controller-context.ts';
import {
  type ControllerRevision,
  controllerRevisionType,
  createControllerRevision,
  type RevisionOwner,
} from './controller-revision.ts';
import { planRevisions } from './plan-revisions.ts';
import type { Pod } from './pod.ts';
import { podTemplateHash } from './pod-template-hash.ts';
import { revisionHashLabel } from './stateful-set.ts';

/** Whose history is written, and what still needs it. */
export interface HistoryKeeping {
  readonly owner: RevisionOwner & { readonly spec: { readonly selector: LabelSelectorSpec } };
  /** The label of a revision that carries the hash. */
  readonly hashLabel: string;
  /** The Pods that the owner controls. */
  readonly pods: readonly Pod[];
  /** Names of revisions that the owner's status tells. */
  readonly told?: readonly string[];
}

/** The templates that StatefulSets and DaemonSets had, as `kubectl rollout` reads them. */
export class RevisionHistory {
  readonly #client: ResourceClient<ControllerRevision>;
  readonly #cache: Cache<ControllerRevision>;

  constructor({ client }: Pick<ControllerContext, 'client'>, cache: Cache<ControllerRevision>) {
    this.#client = client.of<ControllerRevision>(controllerRevisionType);
    this.#cache = cache;
  }

  /** Writes down the owner's template before Pods are made of it, and forgets the oldest. */
  async keep(
    { owner, hashLabel, pods, told = [] }: HistoryKeeping,
    signal: AbortSignal,
  ): Promise<void> {
    if (owner.metadata.deletionTimestamp !== undefined) return;
    const { selector, template } = owner.spec;
    const parts = { owner, selector, client: this.#client, cache: this.#cache };
    const revisions = await claimObjects(parts, signal);
    const live = new Set([...told, ...pods.map((pod) => revisionOf(owner, pod))]);
    const { number, present, remove } = planRevisions({ owner, revisions, live });
    if (number !== undefined && present === undefined) {
      const hash = podTemplateHash(template, 0);
      const revision = createControllerRevision(owner, { hash, hashLabel, revision: number });
      this.#cache.observe(await this.#client.create(revision, { signal }));
    } else if (number !== undefined && present !== undefined) {
      const patch = { metadata: { uid: present.metadata.uid }, revision: number };
      const change = { type: 'merge', patch } as const;
      this.#cache.observe(await this.#client.patch(objectKey(present), change, { signal }));
    }
    for (const revision of remove) await this.#remove(revision, signal);
  }

  async #remove(revision: ControllerRevision, signal: AbortSignal): Promise<void> {
    const { uid } = revision.metadata;
    try {
      await this.#client.delete(objectKey(revision), { preconditions: { uid }, signal });
    } catch (error) {
      // Gone, or another one by now.
      if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
    }
  }
}

// A Pod of a StatefulSet is labelled with the name of its revision, one of a DaemonSet with the hash.
function revisionOf({ kind, metadata }: RevisionOwner, pod: Pod): string {
  const label = pod.metadata.labels?.[revisionHashLabel] ?? '';
  return kind === 'DaemonSet' ? `${metadata.name}-${label}` : label;
}
