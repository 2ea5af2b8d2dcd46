import { isJsonObject, jsonEqual } from '@fnlet/base';
import { hasReason } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { ControllerLoop } from '../controllers/controller-loop.ts';
import { nextTurn } from '../object/in-turns.ts';
import { withFields } from '../object/object-form.ts';
import { collectionPrefix } from '../object/object-keys.ts';
import { readObject, storedObjects } from '../object/objects.ts';
import type { Resource } from '../resource/resource.ts';
import { updateObject } from '../write/update.ts';
import { aggregateRules, aggregationSelectors, toAggregatedRole } from './aggregate-rules.ts';
import { formatPolicyRule } from './policy-rule.ts';

// kube-controller-manager writes them under this name.
const manager = 'clusterrole-aggregation-controller';

/**
 * Keeps the rules of ClusterRoles that gather those of others.
 *
 * I1. `#gathering` names every stored ClusterRole that has an aggregationRule; any change of any
 *     ClusterRole makes work for all of them, and a role that is as it should be is not written.
 */
export class RoleAggregation {
  readonly #context: ApiContext;
  readonly #resource: Resource;
  readonly #gathering = new Set<string>();
  readonly loop: ControllerLoop;

  constructor(context: ApiContext, resource: Resource) {
    this.#context = context;
    this.#resource = resource;
    const prefix = collectionPrefix(resource.strategy);
    this.loop = new ControllerLoop(context, {
      name: 'role aggregation',
      prefix,
      reset: () => this.#gathering.clear(),
      observe: ({ key, value }) => {
        const name = key.slice(prefix.length);
        if (isJsonObject(value?.aggregationRule)) this.#gathering.add(name);
        else this.#gathering.delete(name);
        return this.#gathering;
      },
      reconcile: (name) => this.#reconcile(name),
    });
  }

  async #reconcile(name: string): Promise<undefined> {
    // What changes together, such as all roles at the start, is looked at together.
    await nextTurn();
    const key = { namespace: '', name };
    const role = readObject(this.#context, this.#resource, key)?.object;
    const selectors = role === undefined ? undefined : aggregationSelectors(role);
    if (role === undefined || selectors === undefined) return;
    const roles = [...storedObjects(this.#context, this.#resource)].map(toAggregatedRole);
    const rules = aggregateRules(name, selectors, roles).map(formatPolicyRule);
    if (jsonEqual(role.rules ?? [], rules)) return;
    try {
      const propose = (current: typeof role): { object: typeof role; manager: string } => ({
        object: withFields(current, { rules }),
        manager,
      });
      await updateObject(this.#context, this.#resource, { key, dryRun: false, propose });
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }
}
