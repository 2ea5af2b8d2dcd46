import { type FunctionObject, functionLabel, managedBy, managedByLabel } from '@fnlet/api';
import type { ResourceClient } from '@fnlet/client';
import type { ObjectKey } from '@fnlet/machinery';
import { type DemandHistory, emptyHistory, formatHistory, parseHistory } from '@fnlet/scaling';
import type { ConfigMap } from '../core-kinds.ts';
import { ownerReference } from '../plan-revision.ts';

const historyKey = 'history';

/**
 * Keeps what was learned about the demand of Functions, each in a ConfigMap of its own that goes
 * with it: it outlives restarts wherever the API does, and costs nothing while nobody reads it.
 */
export class DemandBook {
  readonly #configMaps: Pick<ResourceClient<ConfigMap>, 'tryGet' | 'apply'>;

  constructor(configMaps: Pick<ResourceClient<ConfigMap>, 'tryGet' | 'apply'>) {
    this.#configMaps = configMaps;
  }

  /** What is known; what cannot be read, or is of an earlier Function, is begun anew. */
  async read(owner: Owner, signal: AbortSignal): Promise<DemandHistory> {
    const found = await this.#configMaps.tryGet(bookKey(owner), { signal });
    const owners = found?.metadata.ownerReferences ?? [];
    if (!owners.some(({ uid }) => uid === owner.metadata.uid)) return emptyHistory;
    return parseHistory(found?.data?.[historyKey] ?? '') ?? emptyHistory;
  }

  async write(owner: Owner, history: DemandHistory, signal: AbortSignal): Promise<void> {
    const { name, namespace } = bookKey(owner);
    const labels = { [managedByLabel]: managedBy, [functionLabel]: owner.metadata.name };
    const ownerReferences = [ownerReference(owner)];
    const object: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace, labels, ownerReferences },
      data: { [historyKey]: formatHistory(history) },
    };
    await this.#configMaps.apply(object, { force: true, signal });
  }
}

type Owner = Pick<FunctionObject, 'apiVersion' | 'kind' | 'metadata'>;

/** Names of Functions have no dots, so nothing of the user's is called like this by chance. */
function bookKey({ metadata: { name, namespace = '' } }: Owner): ObjectKey {
  return { namespace, name: `${name}.demand` };
}
