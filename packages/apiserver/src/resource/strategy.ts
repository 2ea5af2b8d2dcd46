import type { Random } from '@fnlet/base';
import type { FieldError, JsonSchema, KubeObject, ObjectKey, ResourceType } from '@fnlet/machinery';
import type { Column } from '../answer/column.ts';
import type { Access } from '../auth/access.ts';
import type { IdentifyToken } from '../auth/identify-token.ts';
import type { ServiceNumberSource } from '../builtins/networking/service-number-source.ts';
import type { StrategicType } from '../patch/strategic-merge.ts';
import type { User } from '../request/api-request.ts';

/** What hooks may ask the server for. */
export interface HookContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly random: Random;
  /** Who asked; undefined: the server itself. */
  readonly user: User | undefined;
  /** All stored objects of this kind, in every namespace. */
  readonly siblings: () => Iterable<KubeObject>;
  /** All stored objects of another kind; none when it is not served. */
  readonly others: (group: string, plural: string) => Iterable<KubeObject>;
  /** One stored object of another kind. */
  readonly find: (group: string, plural: string, key: ObjectKey) => KubeObject | undefined;
  readonly serviceNumbers: ServiceNumberSource;
}

/** Who asks for something, for answers and rules that depend on it. */
export interface Asker {
  readonly user: User;
  /** The namespace of the URL; empty for cluster-scoped kinds. */
  readonly namespace: string;
  /** Which part of an object is written; undefined: the object itself. */
  readonly subresource: string | undefined;
  readonly access: Access;
  /** Whom a bearer token stands for. */
  readonly identify: IdentifyToken;
  /** How the request asks, in its URL. */
  readonly query: URLSearchParams;
  /** Tells the client something besides the answer. */
  readonly warn: (text: string) => void;
}

/** What hooks may ask for when an object changes. */
export interface UpdateContext extends HookContext {
  readonly old: KubeObject;
  /** Which part of the object is written; undefined: the object itself. */
  readonly subresource: string | undefined;
}

/** Where a scaled kind keeps its numbers; simple JSON paths such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
  /** The selector as text, where no path leads to it. */
  readonly selector?: (object: KubeObject) => string;
}

/** The objects in another version, in the same order. @throws StatusError when that fails */
export type ConvertObjects = (
  objects: readonly KubeObject[],
  apiVersion: string,
) => Promise<readonly KubeObject[]>;

/**
 * Everything that is particular to one served kind; the generic registry does the rest. Data where
 * data will do: a new builtin kind is a new table, not new code.
 */
export interface Strategy {
  readonly type: ResourceType;
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Custom resources differ from builtins in some of the words and rules of the wire. */
  readonly custom: boolean;
  /** Kinds and versions that show the same objects share these. */
  readonly stored: { readonly apiVersion: string; readonly group: string; readonly plural: string };
  /**
   * Structure, defaults and rules of the whole object. The structure of a builtin kind is that of
   * its message; its schema adds to it.
   */
  readonly schema: JsonSchema;
  /** The Go type of a builtin kind in the facts, such as `core.v1.Pod`. */
  readonly message?: string;
  /** Merge keys of lists, for strategic merge patches; absent where they are not accepted. */
  readonly mergeType?: StrategicType;
  readonly nameRule: 'dns1123Subdomain' | 'dns1123Label' | 'dns1035Label' | 'pathSegment';
  /** Whether `status` is written through its own subresource only. */
  readonly hasStatus: boolean;
  readonly hasGeneration: boolean;
  /** Annotations ask for something too: a Deployment hands them on to its ReplicaSets. */
  readonly annotationsAsk?: true;
  /** Whether a PUT without resourceVersion overwrites what is there. */
  readonly unconditionalUpdate: boolean;
  /** Whether a PUT without resourceVersion makes what is not there. Default false. */
  readonly createOnUpdate?: true;
  readonly scale?: ScalePaths | undefined;
  readonly columns: readonly Column[];
  /** Fields besides metadata.name and metadata.namespace that a field selector may name. */
  readonly selectableFields: Readonly<Record<string, (object: KubeObject) => string>>;
  /** Said in a Warning header of every answer. */
  readonly deprecation?: string | undefined;
  /** Why nothing can be created at present; absent when it can. */
  readonly closed?: string | undefined;
  /** Its objects are not stored, but computed for each request. Default false. */
  readonly computed?: boolean;
  /** Verbs that are not served; builtins and custom resources serve all eight. */
  readonly withoutVerbs?: readonly string[];

  /** Defaults that a schema cannot express. */
  defaults?(object: KubeObject): KubeObject;
  prepareCreate?(object: KubeObject, context: HookContext): KubeObject;
  prepareUpdate?(object: KubeObject, update: UpdateContext): KubeObject;
  /** Rules that a schema cannot express; `old` is there on update. */
  validate?(
    object: KubeObject,
    old: KubeObject | undefined,
    subresource: string | undefined,
  ): readonly FieldError[];
  /** How long a deletion waits before the object goes; 0 when absent. */
  gracePeriodSeconds?(object: KubeObject, asked: number | undefined): number;
  /** For kinds that a controller empties before they go: the object as being deleted. */
  beginDeletion?(object: KubeObject, now: number): KubeObject;
  /** Whether an object that is being deleted may go; default: it has no finalizers. */
  isFinalized?(object: KubeObject): boolean;
  /** Refuses a deletion before anything else is looked at. */
  checkDelete?(object: KubeObject): void;
  /** Refuses a create or update that this user may not ask for, beyond what its verb tells. */
  admit?(object: KubeObject, old: KubeObject | undefined, asker: Asker): Promise<void>;
  /** For kinds that are never stored: creating one asks a question, and this is the answer. */
  answer?(object: KubeObject, asker: Asker): KubeObject | Promise<KubeObject>;
  /** Asks a webhook for objects in another version; absent where versions need nobody for that. */
  readonly convert?: ConvertObjects;
  /** Objects are read and written in the version that they are kept in. Default false. */
  readonly asKept?: true;
  /** From the stored form to this version, and back. */
  fromStored?(object: KubeObject): KubeObject;
  toStored?(object: KubeObject): KubeObject;
}
