import { isJsonObject } from '@fnlet/base';
import { invalidError, type KubeObject, parseJsonPath } from '@fnlet/machinery';
import { ageColumn, type Column, nameColumn } from '../answer/column.ts';
import { badRequest, internalError } from '../answer/status-texts.ts';
import { invalid } from '../builtins/refusal.ts';
import type { Resource } from '../resource/resource.ts';
import type { ScalePaths } from '../resource/strategy.ts';
import { isKubeObject, objectField, withFields } from './object-form.ts';

/** What `kubectl get --subresource=scale` shows. */
export const scaleColumns: readonly Column[] = [
  nameColumn,
  {
    name: 'Desired',
    type: 'integer',
    description: 'How many instances are wanted.',
    cell: (scale) => objectField(scale, 'spec').replicas ?? 0,
  },
  {
    name: 'Available',
    type: 'integer',
    description: 'How many instances there are.',
    cell: (scale) => objectField(scale, 'status').replicas ?? 0,
  },
  ageColumn,
];

/** The Scale (autoscaling/v1) of an object. @throws StatusError `InternalError` */
export function scaleOf(resource: Resource, object: KubeObject): KubeObject {
  const paths = pathsOf(resource);
  const { specReplicasPath, statusReplicasPath } = paths;
  const replicas = read(object, specReplicasPath);
  if (typeof replicas !== 'number') {
    throw internalError(`the spec replicas field "${specReplicasPath}" does not exist`);
  }
  const current = read(object, statusReplicasPath);
  const selector = selectorOf(paths, object);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const metadata = { name, namespace, uid, resourceVersion, creationTimestamp };
  const present = Object.entries(metadata).filter(([, value]) => value !== undefined);
  const scale: unknown = {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(present),
    // Go leaves out what is nothing.
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: typeof current === 'number' ? current : 0,
      ...(typeof selector === 'string' && selector !== '' ? { selector } : {}),
    },
  };
  if (!isKubeObject(scale)) throw internalError('a Scale could not be made');
  return scale;
}

function selectorOf({ selector, labelSelectorPath }: ScalePaths, object: KubeObject): unknown {
  if (selector !== undefined) return selector(object);
  return labelSelectorPath === undefined ? undefined : read(object, labelSelectorPath);
}

/** The object with the replicas that a Scale asks for. @throws StatusError `BadRequest`, `Invalid` */
export function withScale(resource: Resource, object: KubeObject, scale: unknown): KubeObject {
  if (!isJsonObject(scale)) throw badRequest('expected a Scale');
  const { replicas = 0 } = objectField(scale, 'spec');
  const changed = setReplicas(resource, object, replicas);
  const metadata = objectField(scale, 'metadata');
  const { resourceVersion = object.metadata.resourceVersion } = metadata;
  const { uid = object.metadata.uid, name = object.metadata.name } = metadata;
  return withFields(object, {
    ...changed,
    metadata: { ...object.metadata, resourceVersion, uid, name },
  });
}

/**
 * The field of its object that a Scale states, at its place; nothing when it states none.
 *
 * @throws StatusError `BadRequest`, `Invalid`
 */
export function statedReplicas(
  resource: Resource,
  scale: KubeObject,
): Readonly<Record<string, unknown>> {
  const { replicas } = objectField(scale, 'spec');
  if (replicas === undefined) return {};
  const { metadata } = scale;
  const { metadata: _, ...stated } = setReplicas(resource, { metadata }, replicas);
  return stated;
}

function setReplicas(
  resource: Resource,
  object: Pick<KubeObject, 'metadata'>,
  replicas: unknown,
): Readonly<Record<string, unknown>> {
  if (typeof replicas !== 'number') throw badRequest('spec.replicas of a Scale must be a number');
  if (replicas < 0 && !resource.strategy.custom) {
    const error = invalid('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalidError({ group: 'autoscaling', kind: 'Scale' }, object.metadata.name, [error]);
  }
  const segments = pathsOf(resource).specReplicasPath.split('.').slice(1);
  const changed = setIn(object, segments, replicas);
  return isJsonObject(changed) ? changed : {};
}

function pathsOf(resource: Resource): ScalePaths {
  const { scale } = resource.strategy;
  if (scale === undefined) throw internalError('the resource has no scale');
  return scale;
}

function read(object: KubeObject, path: string): unknown {
  return parseJsonPath(path)(object)[0];
}

function setIn(value: unknown, segments: readonly string[], leaf: unknown): unknown {
  const [first, ...rest] = segments;
  if (first === undefined) return leaf;
  const object = isJsonObject(value) ? value : {};
  return { ...object, [first]: setIn(object[first], rest, leaf) };
}
