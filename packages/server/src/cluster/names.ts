/**
 * What the parts of Fnlet in a cluster are called, for those who install them and for each other.
 * Namespaced objects are in the namespace of the installation.
 */
export const clusterNames = {
  /** Namespace of the installation, unless told otherwise. */
  namespace: 'fnlet-system',
  /** Deployment and ServiceAccount of the controller. */
  controller: 'fnlet-controller',
  /** Deployment, Service and ServiceAccount of the Gateway. */
  gateway: 'fnlet-gateway',
  /** Service of the Gateway for those inside, internal functions and Brokers included. */
  gatewayInside: 'fnlet-gateway-inside',
  /**
   * Service without a selector, with the ports of the controller: the replica that leads writes its
   * EndpointSlice of the same name.
   */
  controllerService: 'fnlet-controller',
  /**
   * Service that the API server passes requests on to, for groups that the controller answers for:
   * it selects the Pod of the replica that leads by its label.
   */
  apiService: 'fnlet-api',
  /** Prefix of the ConfigMaps with what Operators have settled. */
  settledConfigMap: 'fnlet-settled',
  /** ClusterRole with what the controller may watch for Triggers and Operators. */
  watched: 'fnlet-watched',
  /** Lease that the replicas of the controller compete for. */
  lease: 'fnlet-controller',
  /** Secret with the authority and the certificate of the controller; it makes it. */
  certificateSecret: 'fnlet-controller-tls',
  /**
   * ConfigMap with `ca.crt`, what Runners and Gateways trust the controller by; the controller
   * makes it, here and in every namespace with Pods of functions.
   */
  authorityConfigMap: 'fnlet-authority',
  /** NetworkPolicy of functions, in every namespace that has some; its label says that it is. */
  functionsPolicy: 'fnlet-functions',
  functionsPolicyLabel: 'fnlet.dev/functions-policy',
  /** Label of everything that leads requests of Triggers to the Gateway. */
  routeLabel: 'fnlet.dev/route',
  /** Prefix of the ConfigMaps with programs of Runners, one for each digest. */
  programConfigMap: 'fnlet-runner',
} as const;

/** Label of ClusterRoles whose rules say what the controller may watch besides. */
export const watchedLabel = 'fnlet.dev/aggregate-to-watched';

/** Label of the controller's Pod that leads; its value is `true`. */
export const leadsLabel = 'fnlet.dev/leads';

/** Groups of the cluster's API that the controller answers for: records and uploads, no objects. */
export const recordGroups = [
  'artifacts.fnlet.dev',
  'calls.fnlet.dev',
  'events.fnlet.dev',
  'operators.fnlet.dev',
] as const;

/** The version of all of them. */
export const recordsVersion = 'v1alpha1';

/** Ports of the controller and the Gateway, as they listen in their Pods. */
export const clusterPorts = {
  /** Controller: Runners in Pods connect to it (TLS). */
  runners: 8443,
  /** Controller: Gateways connect to it (TLS). */
  gateways: 8444,
  /** Controller: the API server passes requests on to it (TLS). */
  api: 8446,
  /** Gateway: HTTP for everybody. */
  http: 8080,
  /** Gateway: HTTP for those inside, who call internal functions, too. */
  inside: 8081,
  /** Both: `/healthz`, `/readyz` and `/metrics`. */
  health: 9090,
} as const;

/** Audience of the token that a Gateway shows to the controller. */
export const controllerAudience = 'fnlet-controller';

/** Where a Gateway finds that token, and keeps finding newer ones: a projected volume. */
export const controllerTokenFile = '/var/run/secrets/fnlet.dev/controller/token';

/** Where it finds `ca.crt` of the controller: the authority's ConfigMap as a volume. */
export const authorityFile = '/var/run/secrets/fnlet.dev/authority/ca.crt';
