// Written by tooling/builtin-types.ts from the facts of Kubernetes 1.36.

import type { ObjectMeta } from '../object.ts';
import type * as coreV1 from './core-v1.ts';
import type * as metaV1 from './meta-v1.ts';

export interface HTTPIngressPath {
  readonly path?: string;
  readonly pathType?: 'Exact' | 'ImplementationSpecific' | 'Prefix';
  readonly backend?: IngressBackend;
}

export interface HTTPIngressRuleValue {
  readonly paths?: readonly HTTPIngressPath[];
}

export interface IPBlock {
  readonly cidr?: string;
  readonly except?: readonly string[];
}

export interface Ingress {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: IngressSpec;
  readonly status?: IngressStatus;
}

export interface IngressBackend {
  readonly service?: IngressServiceBackend;
  readonly resource?: coreV1.TypedLocalObjectReference;
}

export interface IngressLoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ports?: readonly IngressPortStatus[];
}

export interface IngressLoadBalancerStatus {
  readonly ingress?: readonly IngressLoadBalancerIngress[];
}

export interface IngressPortStatus {
  readonly port?: number;
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP';
  readonly error?: string;
}

export interface IngressRule extends IngressRuleValue {
  readonly host?: string;
}

export interface IngressRuleValue {
  readonly http?: HTTPIngressRuleValue;
}

export interface IngressServiceBackend {
  readonly name?: string;
  readonly port?: ServiceBackendPort;
}

export interface IngressSpec {
  readonly ingressClassName?: string;
  readonly defaultBackend?: IngressBackend;
  readonly tls?: readonly IngressTLS[];
  readonly rules?: readonly IngressRule[];
}

export interface IngressStatus {
  readonly loadBalancer?: IngressLoadBalancerStatus;
}

export interface IngressTLS {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
}

export interface NetworkPolicy {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: NetworkPolicySpec;
}

export interface NetworkPolicyEgressRule {
  readonly ports?: readonly NetworkPolicyPort[];
  readonly to?: readonly NetworkPolicyPeer[];
}

export interface NetworkPolicyIngressRule {
  readonly ports?: readonly NetworkPolicyPort[];
  readonly from?: readonly NetworkPolicyPeer[];
}

export interface NetworkPolicyPeer {
  readonly podSelector?: metaV1.LabelSelector;
  readonly namespaceSelector?: metaV1.LabelSelector;
  readonly ipBlock?: IPBlock;
}

export interface NetworkPolicyPort {
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP';
  readonly port?: string | number;
  readonly endPort?: number;
}

export interface NetworkPolicySpec {
  readonly podSelector?: metaV1.LabelSelector;
  readonly ingress?: readonly NetworkPolicyIngressRule[];
  readonly egress?: readonly NetworkPolicyEgressRule[];
  readonly policyTypes?: readonly ('Egress' | 'Ingress')[];
}

export interface ServiceBackendPort {
  readonly name?: string;
  readonly number?: number;
}
