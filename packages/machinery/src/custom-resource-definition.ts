import type { Condition } from './condition.ts';
import type { JsonSchema } from './json-schema.ts';
import type { KubeObject } from './object.ts';

/** A column of `kubectl get` (apiextensions.k8s.io/v1). */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  /** 0 is always shown; larger numbers only in wide output. */
  readonly priority?: number;
}

/** One version of a custom kind; exactly one of them is stored. */
export interface CustomResourceVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema };
  readonly subresources?: {
    readonly status?: Readonly<Record<string, never>>;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** What a custom kind is called, in URLs, in manifests and on the command line. */
export interface CustomResourceNames {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** What a CustomResourceDefinition asks for (apiextensions.k8s.io/v1). */
export interface CustomResourceDefinitionSpec {
  readonly group: string;
  readonly names: CustomResourceNames;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly versions: readonly CustomResourceVersion[];
  readonly conversion?: {
    readonly strategy: string;
    readonly webhook?: { readonly clientConfig?: Readonly<Record<string, unknown>> };
  };
  readonly preserveUnknownFields?: boolean;
}

/** The object that teaches an API server a kind, as the server gives it back. */
export interface CustomResourceDefinition extends KubeObject {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly spec: CustomResourceDefinitionSpec;
  readonly status?: {
    readonly conditions?: readonly Condition[] | null;
    readonly acceptedNames?: Partial<CustomResourceNames>;
    readonly storedVersions?: readonly string[];
  };
}
