import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { User } from '../request/api-request.ts';
import type { Resource } from '../resource/resource.ts';

/** What is about to happen to an object (admissionregistration.k8s.io/v1, OperationType). */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE';

/** A request as those see it who may refuse or change it. */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly resource: Resource;
  /** Empty: the object itself. */
  readonly subresource: string;
  /** Empty where a new object's name is to be generated. */
  readonly name: string;
  /** Empty for cluster-scoped objects; of a Namespace its own name. */
  readonly namespace: string;
  /** The object as it shall be; none for DELETE. */
  readonly object: KubeObject | undefined;
  /** The object as it is; none for CREATE. */
  readonly oldObject: KubeObject | undefined;
  readonly user: User;
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions or DeleteOptions. */
  readonly options: JsonObject;
  /** Tells the client something, whether the request is refused or not. */
  readonly warn: (text: string) => void;
}

const group = 'admissionregistration.k8s.io';

/** Whoever could refuse these could lock everybody out: they are never asked about them. */
export function isExempt({ strategy: { type } }: Resource): boolean {
  return type.group === group;
}

/** Whether the object is shown as the kind of its resource: a Scale, say, is another one. */
export function showsOwnKind({ resource, object, oldObject }: AdmissionAttributes): boolean {
  const shown = object ?? oldObject;
  return shown?.apiVersion === resource.apiVersion && shown.kind === resource.strategy.type.kind;
}
