/**
 * Makes and deletes Pods for controllers, and says so in Events.
 *
 * I1. What was made is in the cache when `create` returns, and what was deleted is known to be on
 *     its way out: a controller that looks again at once does nothing twice.
 */
import { errorMessage, hasCode, type Random, randomName } from '@fnlet/base';
import type { Cache, Client } from '@fnlet/client';
import { type KubeObject, objectKey } from '@fnlet/machinery';
import type { EventRecorder } from '@fnlet/reconcile';
import { controllerReference } from './owner.ts';
import { isTerminating, type Pod, type PodTemplate, podType } from './pod.ts';

export interface PodControlOptions {
  readonly client: Client;
  readonly pods: Cache<Pod>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly random: Random;
}

/** What is particular to one Pod of a template. */
export interface PodParticulars {
  /** The whole name. Default: a prefix and a random suffix. */
  readonly name?: string;
  /** Default: the owner's name. */
  readonly prefix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

export class PodControl {
  readonly #options: PodControlOptions;
  /** Uids of Pods that were deleted and that the cache may still show as they were. */
  readonly #deleted = new Set<string>();

  constructor(options: PodControlOptions) {
    this.#options = options;
  }

  /** Tells what the cache shows from now on; returns the way to stop that. */
  follow(): () => void {
    return this.#options.pods.subscribe(({ kind, object }) => {
      if (kind === 'deleted' || isTerminating(object)) {
        this.#deleted.delete(object.metadata.uid ?? '');
      }
    });
  }

  /** Whether it was deleted here, though the cache does not show it yet. */
  isDeleted({ metadata }: Pod): boolean {
    return this.#deleted.has(metadata.uid ?? '');
  }

  async create(
    owner: KubeObject,
    template: PodTemplate,
    options: PodParticulars & { readonly signal: AbortSignal },
  ): Promise<Pod> {
    const { client, pods, events, random } = this.#options;
    const { labels, annotations, finalizers, signal } = options;
    const { namespace } = owner.metadata;
    const kept = [...(template.metadata?.finalizers ?? []), ...(finalizers ?? [])];
    // Cut, so that the name with its suffix is still a label.
    const prefix = (options.prefix ?? owner.metadata.name).slice(0, 57);
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: options.name ?? `${prefix}-${randomName(random, 5)}`,
        ...(namespace === undefined ? {} : { namespace }),
        labels: { ...template.metadata?.labels, ...labels },
        annotations: { ...template.metadata?.annotations, ...annotations },
        ownerReferences: [controllerReference(owner)],
        ...(kept.length === 0 ? {} : { finalizers: kept }),
      },
      spec: template.spec,
    };
    try {
      const created = await client.of<Pod>(podType).create(pod, { signal });
      pods.observe(created);
      const message = tell(owner, created, 'create') ?? `Created pod: ${created.metadata.name}`;
      events.record(owner, { type: 'Normal', reason: 'SuccessfulCreate', message });
      return created;
    } catch (error) {
      const why = errorMessage(error);
      const message = tell(owner, pod, 'create', why) ?? `Error creating: ${why}`;
      if (!signal.aborted)
        events.record(owner, { type: 'Warning', reason: 'FailedCreate', message });
      throw error;
    }
  }

  async delete(owner: KubeObject, pod: Pod, signal: AbortSignal): Promise<void> {
    const { client, events } = this.#options;
    const { uid, name } = pod.metadata;
    if (uid !== undefined) this.#deleted.add(uid);
    try {
      await client.of<Pod>(podType).delete(objectKey(pod), { preconditions: { uid }, signal });
      const message = tell(owner, pod, 'delete') ?? `Deleted pod: ${name}`;
      events.record(owner, { type: 'Normal', reason: 'SuccessfulDelete', message });
    } catch (error) {
      if (uid !== undefined) this.#deleted.delete(uid);
      // Gone, or another one by now: either way this one is deleted.
      if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
    }
  }
}

/** The words of a StatefulSet, which has its own (statefulset/stateful_pod_control.go). */
function tell(
  { kind, metadata }: KubeObject,
  pod: Pod,
  ...[verb, failure]: readonly [verb: 'create' | 'delete', failure?: string]
): string | undefined {
  if (kind !== 'StatefulSet') return undefined;
  const what = `${verb} Pod ${pod.metadata.name} in StatefulSet ${metadata.name}`;
  return failure === undefined ? `${what} successful` : `${what} failed error: ${failure}`;
}
