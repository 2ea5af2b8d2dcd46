/**
 * ScaledObjects of KEDA: what one asks for becomes an annotation of its Kyma Function, which counts
 * where that is translated. It goes with the ScaledObject, whoever sees it go.
 */
import { kymaFunctionType } from '@fnlet/api/kyma';
import {
  parseScaledObject,
  type ScaledObjectObject,
  scaledObjectType,
} from '@fnlet/api/kyma-modules';
import type { Clock } from '@fnlet/base';
import { type KubeObject, type ObjectKey, objectKey } from '@fnlet/machinery';
import {
  createFinalizer,
  createStatusWriter,
  type Finalizer,
  type KindContext,
  type Manager,
  type StatusUpdate,
  type StatusWriter,
} from '@fnlet/reconcile';
import { resourceVersionChanged } from '@fnlet/sdk/operator';
import { kindOf } from '../kind-of.ts';
import { limits } from '../limits.ts';
import { scaleAnnotation, scaledByAnnotation } from '../scale-annotation.ts';
import { type ScaledObjectTranslation, translateScaledObject } from './translate-scaled-object.ts';

const byTarget = 'target';

function targetKey({ namespace = '' }: { readonly namespace?: string }, name: string): string {
  return `${namespace}/${name}`;
}

/** Lets a manager do what ScaledObjects ask for. */
export function addScaledObjects(manager: Manager, clock: Clock): void {
  const client = manager.client.of<ScaledObjectObject>(scaledObjectType);
  const controller = new ScaledObjects({
    status: createStatusWriter({ client, clock }),
    finalizer: createFinalizer({ client, name: 'finalizer.keda.sh' }),
  });
  const owners = manager.cache<ScaledObjectObject>(scaledObjectType, {
    indexes: {
      [byTarget]: ({ metadata, spec }) => [targetKey(metadata, spec.scaleTargetRef.name)],
    },
  });
  manager.controller({
    name: 'fnlet-keda',
    for: kindOf(scaledObjectType).keep('spec', 'status'),
    // A Function that comes or comes back is told. What else it says, a whole source, is not kept.
    watches: [
      kindOf(kymaFunctionType)
        .keep('metadata.name')
        .mapTo(({ metadata }) =>
          owners.byIndex(byTarget, targetKey(metadata, metadata.name)).map(objectKey),
        ),
    ],
    when: resourceVersionChanged,
    concurrency: limits.workers,
    reconcile: (key, context) => controller.reconcile(key, context),
  });
}

/** Where a ScaledObject stands. */
interface Standing {
  readonly owner: ScaledObjectObject;
  readonly translation: ScaledObjectTranslation;
  /** Why it has no effect, if so. */
  readonly obstacle: string | undefined;
}

class ScaledObjects {
  readonly #status: StatusWriter<ScaledObjectObject>;
  readonly #finalizer: Finalizer<ScaledObjectObject>;

  constructor(parts: {
    readonly status: StatusWriter<ScaledObjectObject>;
    readonly finalizer: Finalizer<ScaledObjectObject>;
  }) {
    this.#status = parts.status;
    this.#finalizer = parts.finalizer;
  }

  async reconcile(key: ObjectKey, context: KindContext): Promise<undefined> {
    const { client, signal } = context;
    const found = await client.of<ScaledObjectObject>(scaledObjectType).tryGet(key, { signal });
    if (found === undefined) return undefined;
    const owner = parseScaledObject(found);
    if (owner.metadata.deletionTimestamp !== undefined) {
      await this.#letGo(owner, context);
      return undefined;
    }
    await this.#finalizer.add(owner, signal);
    const translation = translateScaledObject(found);
    const obstacle =
      translation.kind === 'translated' ? await mark(owner, translation, context) : undefined;
    await this.#status.write(owner, planStatus({ owner, translation, obstacle }), signal);
    return undefined;
  }

  async #letGo(owner: ScaledObjectObject, { client, signal }: KindContext): Promise<void> {
    const { name } = owner.spec.scaleTargetRef;
    const key = { namespace: owner.metadata.namespace ?? '', name };
    const functions = client.of<KubeObject>(kymaFunctionType);
    const target = await functions.tryGet(key, { signal });
    if (target?.metadata.annotations?.[scaledByAnnotation] === owner.metadata.name) {
      const annotations = { [scaleAnnotation]: null, [scaledByAnnotation]: null };
      await functions.patch(
        key,
        { type: 'merge', patch: { metadata: { annotations } } },
        { signal },
      );
    }
    await this.#finalizer.remove(owner, signal);
  }
}

/** Tells the Function how it scales; returns why it cannot be told. */
async function mark(
  { metadata }: ScaledObjectObject,
  { target, scale }: Extract<ScaledObjectTranslation, { readonly kind: 'translated' }>,
  { client, signal }: KindContext,
): Promise<string | undefined> {
  const { name, namespace = '' } = metadata;
  const functions = client.of<KubeObject>(kymaFunctionType);
  const found = await functions.tryGet({ namespace, name: target }, { signal });
  if (found === undefined) return `there is no Function ${target} of Kyma`;
  const { [scaledByAnnotation]: by, [scaleAnnotation]: known } = found.metadata.annotations ?? {};
  if (by !== undefined && by !== name) return `the ScaledObject ${by} scales Function ${target}`;
  const text = JSON.stringify(scale);
  if (known === text && by === name) return undefined;
  const annotations = { [scaleAnnotation]: text, [scaledByAnnotation]: name };
  const patch = { metadata: { annotations } };
  await functions.patch(objectKey(found), { type: 'merge', patch }, { signal });
  return undefined;
}

/** In the words of KEDA. */
function planStatus({ owner, translation, obstacle }: Standing): StatusUpdate {
  const { scaleTargetRef, triggers } = owner.spec;
  const { apiVersion = 'apps/v1', kind = 'Deployment' } = scaleTargetRef;
  const reasons = translation.kind === 'refused' ? translation.reasons : [];
  const wrong = obstacle ?? reasons.join('; ');
  const notices = translation.kind === 'translated' ? translation.notices : [];
  const isDone = wrong === '';
  const types = [...new Set(triggers.map(({ type }) => type))].join(',');
  return {
    fields: { scaleTargetKind: `${apiVersion}.${kind}`, triggersTypes: types },
    conditions: [
      {
        type: 'Ready',
        status: isDone ? 'True' : 'False',
        reason: isDone ? 'ScaledObjectReady' : 'ScaledObjectCheckFailed',
        message: isDone ? notices.join('; ') : wrong,
      },
      {
        type: 'Active',
        status: 'Unknown',
        reason: 'ScaledByFnlet',
        message: 'The Function itself tells how it scales: fnlet describe',
      },
      { type: 'Fallback', status: 'False', reason: 'NoFallbackFound', message: '' },
      { type: 'Paused', status: 'False', reason: 'ScaledObjectUnpaused', message: '' },
    ],
  };
}
