import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { ApiContext } from '../api-context.ts';
import { scaleOf, withScale } from '../object/scale.ts';
import { admitValue } from '../request/decode-object.ts';
import type { Resource } from '../resource/resource.ts';
import type { Asker } from '../resource/strategy.ts';
import type { AdmissionAttributes, AdmissionOperation } from './admission-attributes.ts';

/** What is about to be written. */
export interface AdmittedWrite {
  /** The object as it shall be; absent for a deletion. */
  readonly object?: KubeObject | undefined;
  /** The object as it is; absent for a creation. */
  readonly old?: KubeObject | undefined;
  readonly dryRun: boolean;
}

/** Who is to be asked about the writes of one request. */
export interface WriteAdmission {
  /**
   * The object as it shall be instead, pruned; the same one when nobody wants another.
   *
   * @throws StatusError what a webhook answers, `InternalError`, `Forbidden`
   */
  mutate(write: AdmittedWrite & { readonly object: KubeObject }): Promise<KubeObject>;
  /** @throws StatusError what a webhook answers, `InternalError`, `Forbidden` */
  validate(write: AdmittedWrite): Promise<void>;
  /** Asks first the mutating ones, who can but refuse, then the others. */
  admitDelete(old: KubeObject, options: JsonObject, dryRun: boolean): Promise<void>;
}

/** `undefined` where nobody is to be asked, which is cheap to tell. */
export function admissionOf(
  { admission }: ApiContext,
  resource: Resource,
  asker: Asker | undefined,
): WriteAdmission | undefined {
  if (asker === undefined || !admission.asksAbout(resource)) return undefined;
  const attributesOf = (write: AdmittedWrite, options?: JsonObject): AdmissionAttributes =>
    createAttributes(resource, asker, { ...write, options });
  return {
    mutate: async (write) => {
      const attributes = attributesOf(write);
      const mutated = await admission.mutate(attributes);
      if (mutated === undefined || mutated === attributes.object) return write.object;
      if (asker.subresource === 'scale') return withScale(resource, write.object, mutated);
      return admitValue(resource, mutated).object;
    },
    validate: (write) => admission.validate(attributesOf(write)),
    admitDelete: async (old, options, dryRun) => {
      const attributes = attributesOf({ old, dryRun }, options);
      await admission.mutate(attributes);
      await admission.validate(attributes);
    },
  };
}

function createAttributes(
  resource: Resource,
  { user, namespace, subresource = '', query, warn }: Asker,
  { object, old, dryRun, options }: AdmittedWrite & { readonly options?: JsonObject | undefined },
): AdmissionAttributes {
  const operation = operationOf(object, old);
  const { group, plural } = resource.strategy.type;
  const name = old?.metadata.name ?? nameOf(object);
  const isNamespace = group === '' && plural === 'namespaces';
  const show = (one: KubeObject | undefined): KubeObject | undefined =>
    one && subresource === 'scale' ? scaleOf(resource, one) : one;
  return {
    ...{ operation, resource, subresource, name, user, dryRun, warn },
    namespace: isNamespace ? name : ((object ?? old)?.metadata.namespace ?? namespace),
    object: show(object),
    oldObject: show(old),
    options: options ?? writeOptions(operation, query, dryRun),
  };
}

function operationOf(
  object: KubeObject | undefined,
  old: KubeObject | undefined,
): AdmissionOperation {
  if (object === undefined) return 'DELETE';
  return old === undefined ? 'CREATE' : 'UPDATE';
}

// A name that was generated is not the one that was asked for.
function nameOf(object: KubeObject | undefined): string {
  if (object === undefined) return '';
  const { generateName = '', name = '' } = object.metadata;
  return generateName === '' ? name : '';
}

/** meta/v1 CreateOptions or UpdateOptions: a patch becomes either. */
function writeOptions(
  operation: AdmissionOperation,
  query: URLSearchParams,
  dryRun: boolean,
): JsonObject {
  const given = ['fieldManager', 'fieldValidation'].flatMap((name) => {
    const value = query.get(name) ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  return {
    kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions',
    apiVersion: 'meta.k8s.io/v1',
    ...Object.fromEntries(given),
    ...(dryRun ? { dryRun: ['All'] } : {}),
  };
}
