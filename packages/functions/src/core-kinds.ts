import type { KubeObject, ResourceType } from '@fnlet/machinery';

/** A core/v1 Secret; values are base64. */
export interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** A core/v1 ConfigMap. */
export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** A core/v1 Service, as far as this room writes it. */
export interface Service extends KubeObject {
  readonly spec: {
    readonly clusterIP?: string;
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly {
      readonly name: string;
      readonly port: number;
      readonly targetPort: number;
      readonly protocol: 'TCP';
    }[];
  };
}

function coreType(kind: string, plural: string): ResourceType {
  return { group: '', version: 'v1', kind, plural, namespaced: true };
}

export const secretType: ResourceType = coreType('Secret', 'secrets');

export const configMapType: ResourceType = coreType('ConfigMap', 'configmaps');

export const serviceType: ResourceType = coreType('Service', 'services');

export const serviceAccountType: ResourceType = coreType('ServiceAccount', 'serviceaccounts');
