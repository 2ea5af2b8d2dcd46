// Written by tooling/builtin-types.ts from the facts of Kubernetes 1.36.

import type { ObjectMeta } from '../object.ts';
import type * as coreV1 from './core-v1.ts';

export interface Endpoint {
  readonly addresses?: readonly string[];
  readonly conditions?: EndpointConditions;
  readonly hostname?: string;
  readonly targetRef?: coreV1.ObjectReference;
  readonly deprecatedTopology?: Readonly<Record<string, string>>;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly hints?: EndpointHints;
}

export interface EndpointConditions {
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
}

export interface EndpointHints {
  readonly forZones?: readonly ForZone[];
  readonly forNodes?: readonly ForNode[];
}

export interface EndpointPort {
  readonly name?: string;
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP';
  readonly port?: number;
  readonly appProtocol?: string;
}

export interface EndpointSlice {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly addressType?: 'FQDN';
  readonly endpoints?: readonly Endpoint[];
  readonly ports?: readonly EndpointPort[];
}

export interface ForNode {
  readonly name?: string;
}

export interface ForZone {
  readonly name?: string;
}
