/** The controller and the Gateway, as a cluster runs them. */

import { dirname } from 'node:path/posix';
import {
  authorityFile,
  clusterNames,
  clusterPorts,
  controllerAudience,
  controllerTokenFile,
} from '@fnlet/server/cluster/names';
import { installationLabels } from './installation-labels.ts';
import {
  type ChoiceSlot,
  choose,
  type ManifestTemplate,
  type TemplateFields,
  text,
  value,
} from './manifest-template.ts';
import { natsName } from './nats-template.ts';
import { type BundleNames, planPod } from './pod-template.ts';

/** The kubelet renews the token before it ends; the least that the API gives is 600. */
const tokenSeconds = 3_600;

/** A call that has begun is answered: longer ones are cut off when their Gateway ends. */
const gatewayDrainSeconds = 60;

const namespace = value('namespace');
const service = text(`${clusterNames.controllerService}.`, namespace, '.svc');

export function planController(bundle?: BundleNames): readonly ManifestTemplate[] {
  const name = clusterNames.controller;
  const labels = installationLabels(name);
  const metadata = { name, namespace, labels };
  const { runners, gateways } = clusterPorts;
  return [
    {
      object: {
        ...{ apiVersion: 'v1', kind: 'Service', metadata },
        // Without a selector: the replica that leads says where it is.
        spec: { ports: [servicePort('runners', runners), servicePort('gateways', gateways)] },
      },
    },
    {
      object: {
        ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
        spec: {
          replicas: value('controller.replicas'),
          selector: { matchLabels: labels },
          strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
          template: planControllerPod(labels, bundle),
        },
      },
    },
    { object: planBudget(metadata) },
    { when: 'artifacts.persistent', object: planClaim() },
  ];
}

function planControllerPod(labels: TemplateFields, bundle?: BundleNames): TemplateFields {
  const url = text(`http://${clusterNames.gateway}.`, namespace, '.svc');
  const claim = { persistentVolumeClaim: { claimName: 'fnlet-artifacts' } };
  return planPod({
    part: 'controller',
    name: clusterNames.controller,
    labels,
    bundle,
    drainSeconds: 20,
    env: [
      { name: 'FNLET_DATA_DIR', value: '/var/lib/fnlet' },
      { name: 'FNLET_POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'FNLET_POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'FNLET_AGGREGATED_API', value: choose('aggregatedApi', 'true', 'false') },
      {
        name: 'FNLET_RUNNERS_URL',
        value: text('https://', ...service.$text, `:${clusterPorts.runners}`),
      },
      { name: 'FNLET_GATEWAY_URL', value: choose('gateway.url', value('gateway.url'), url) },
      choose('registry', { name: 'FNLET_REGISTRY', value: value('registry') }),
      {
        name: 'FNLET_FUNCTION_NETWORK_POLICIES',
        value: choose('networkPolicies', 'true', 'false'),
      },
      { name: 'FNLET_ASYNC_CALLS', value: choose('artifacts.persistent', 'true', 'false') },
      choose('ingress.className', {
        ...{ name: 'FNLET_INGRESS_CLASS', value: value('ingress.className') },
      }),
      choose('ingress.annotations', {
        ...{ name: 'FNLET_INGRESS_ANNOTATIONS', value: value('ingress.annotations') },
      }),
      choose('httpRoute.parentRef', {
        ...{ name: 'FNLET_HTTP_ROUTE_PARENT', value: value('httpRoute.parentRef') },
      }),
      choose('artifacts.bucket', {
        ...{ name: 'FNLET_ARTIFACTS_BUCKET', value: value('artifacts.bucket') },
      }),
      ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].map((key) => bucketKey(key, false)),
      bucketKey('AWS_SESSION_TOKEN', true),
      choose('metricsApi.custom', { name: 'FNLET_CUSTOM_METRICS', value: 'true' }),
      choose('metricsApi.external', { name: 'FNLET_EXTERNAL_METRICS', value: 'true' }),
      choose('systems.kyma', { name: 'FNLET_KYMA', value: 'true' }),
      choose('systems.kubeless', { name: 'FNLET_KUBELESS', value: 'true' }),
      choose('events.log', { name: 'FNLET_EVENTS_LOG', value: value('events.log') }),
      choose('nats.enabled', {
        name: 'FNLET_EVENTS_LOG',
        valueFrom: { secretKeyRef: { name: natsName, key: 'url' } },
      }),
      choose('events.logSecret', {
        name: 'FNLET_EVENTS_LOG',
        valueFrom: { secretKeyRef: { name: value('events.logSecret'), key: 'url' } },
      }),
    ],
    ports: [
      containerPort('runners', clusterPorts.runners),
      containerPort('gateways', clusterPorts.gateways),
      containerPort('api', clusterPorts.api),
    ],
    volumes: [
      {
        name: 'artifacts',
        persistentVolumeClaim: choose('artifacts.persistent', claim.persistentVolumeClaim),
        emptyDir: choose('artifacts.persistent', undefined, {}),
      },
    ],
    mounts: [{ name: 'artifacts', mountPath: '/var/lib/fnlet' }],
  });
}

/** What the Secret of the bucket has, by the name that tools of AWS give it. */
function bucketKey(name: string, optional: boolean): ChoiceSlot {
  const from = { name: value('artifacts.bucketSecret'), key: name, optional };
  return choose('artifacts.bucketSecret', { name, valueFrom: { secretKeyRef: from } });
}

function planClaim(): TemplateFields {
  const name = 'fnlet-artifacts';
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace, labels: installationLabels(clusterNames.controller) },
    spec: {
      accessModes: [value('artifacts.accessMode')],
      storageClassName: choose('artifacts.storageClass', value('artifacts.storageClass')),
      resources: { requests: { storage: value('artifacts.size') } },
    },
  };
}

export function planGateway(bundle?: BundleNames): readonly ManifestTemplate[] {
  const name = clusterNames.gateway;
  const labels = installationLabels(name);
  const metadata = { name, namespace, labels };
  const { http, inside } = clusterPorts;
  const annotations = choose('gateway.serviceAnnotations', value('gateway.serviceAnnotations'));
  return [
    {
      object: {
        ...{ apiVersion: 'v1', kind: 'Service', metadata: { ...metadata, annotations } },
        spec: {
          type: value('gateway.serviceType'),
          selector: labels,
          ports: [servicePort('http', 80, http)],
        },
      },
    },
    {
      // Of its own: internal functions are not for those whom a load balancer lets in.
      object: {
        ...{ apiVersion: 'v1', kind: 'Service' },
        metadata: { ...metadata, name: clusterNames.gatewayInside },
        spec: { type: 'ClusterIP', selector: labels, ports: [servicePort('inside', 80, inside)] },
      },
    },
    {
      object: {
        ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
        // Its autoscaler says how many there are.
        spec: {
          selector: { matchLabels: labels },
          strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
          template: planGatewayPod(labels, bundle),
        },
      },
    },
    { object: planAutoscaler(metadata) },
    { object: planBudget(metadata) },
  ];
}

function planGatewayPod(labels: TemplateFields, bundle?: BundleNames): TemplateFields {
  const token = {
    audience: controllerAudience,
    expirationSeconds: tokenSeconds,
    path: 'token',
  };
  return planPod({
    part: 'gateway',
    name: clusterNames.gateway,
    labels,
    bundle,
    drainSeconds: gatewayDrainSeconds,
    env: [
      {
        name: 'FNLET_CONTROLLER_URL',
        value: text('https://', ...service.$text, `:${clusterPorts.gateways}`),
      },
      { name: 'FNLET_TRUSTED_PROXIES', value: value('gateway.trustedProxies') },
      { name: 'FNLET_ACCESS_LOG', value: value('gateway.accessLog') },
      choose('gateway.tracesEndpoint', {
        ...{ name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: value('gateway.tracesEndpoint') },
      }),
    ],
    ports: [containerPort('http', clusterPorts.http), containerPort('inside', clusterPorts.inside)],
    volumes: [
      { name: 'controller', projected: { sources: [{ serviceAccountToken: token }] } },
      // The controller makes it; until then this Pod waits.
      { name: 'authority', configMap: { name: clusterNames.authorityConfigMap } },
    ],
    mounts: [
      { name: 'controller', mountPath: dirname(controllerTokenFile), readOnly: true },
      { name: 'authority', mountPath: dirname(authorityFile), readOnly: true },
    ],
  });
}

function planAutoscaler(metadata: TemplateFields): TemplateFields {
  const target = { type: 'Utilization', averageUtilization: value('gateway.cpuTarget') };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata,
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: clusterNames.gateway },
      minReplicas: value('gateway.minReplicas'),
      maxReplicas: value('gateway.maxReplicas'),
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    },
  };
}

function planBudget(metadata: { readonly labels: TemplateFields }): TemplateFields {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { ...metadata },
    spec: { maxUnavailable: 1, selector: { matchLabels: metadata.labels } },
  };
}

function servicePort(name: string, port: number, targetPort = port): TemplateFields {
  return { name, port, targetPort, protocol: 'TCP' };
}

function containerPort(name: string, port: number): TemplateFields {
  return { name, containerPort: port, protocol: 'TCP' };
}
