import { isJsonObject, type JsonObject, type Random, randomInt } from '@fnlet/base';
import type { FieldError, KubeObject } from '@fnlet/machinery';
import { ageColumn, type Column, nameColumn } from '../column.ts';
import { listField, objectField, textField, withFields } from '../object-form.ts';
import { mergedList } from '../patch-annotations.ts';
import { fieldError } from '../request-options.ts';
import type { HookContext, Strategy } from '../strategy.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import {
  condition,
  flag,
  integer,
  intOrString,
  list,
  object,
  text,
  textMap,
  texts,
} from './schema-words.ts';

const port = object(
  'A port of the service.',
  {
    name: text('Name of the port; needed when there are several.'),
    protocol: text('TCP, UDP or SCTP.', { default: 'TCP' }),
    appProtocol: text('The application protocol.'),
    port: integer('The port of the service.'),
    targetPort: intOrString('The port of the Pods, by number or name.'),
    nodePort: integer('The port on every node.'),
  },
  { required: ['port'] },
);

const ingress = object('Where the load balancer is reached.', {
  ip: text('Its address.'),
  hostname: text('Its name.'),
  ipMode: text('How traffic to the address arrives.'),
});

const none = '<none>';

const columns: readonly Column[] = [
  nameColumn,
  specColumn('Type', 'How the service is reached.', (spec) => textField(spec, 'type')),
  specColumn('Cluster-IP', 'Its address inside.', (spec) => textField(spec, 'clusterIP') || none),
  specColumn('External-IP', 'Its address from outside.', externalAddress),
  specColumn('Port(s)', 'Its ports.', formatPorts),
  ageColumn,
  { ...specColumn('Selector', 'Which Pods it is for.', formatSelector), priority: 1 },
];

function specColumn(name: string, description: string, show: (spec: JsonObject) => string): Column {
  return {
    name,
    type: 'string',
    description,
    cell: (service) => show(objectField(service, 'spec')),
  };
}

export const serviceStrategy: Strategy = builtinStrategy({
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  nameRule: 'dns1035Label',
  description: 'A Service is a stable address for a changing set of Pods.',
  fields: {
    spec: object('What the service is.', {
      type: text('ClusterIP, NodePort, LoadBalancer or ExternalName.', { default: 'ClusterIP' }),
      selector: textMap('Labels of the Pods.', { 'x-kubernetes-map-type': 'atomic' }),
      ports: mergedList(port, 'port', {
        description: 'The ports of the service.',
        mapKeys: ['port', 'protocol'],
      }),
      clusterIP: text('Its address, or None for a headless service.'),
      clusterIPs: texts('Its addresses.'),
      externalIPs: texts('Further addresses that others care for.'),
      externalName: text('The name that an ExternalName service stands for.'),
      externalTrafficPolicy: text('Cluster or Local.'),
      internalTrafficPolicy: text('Cluster or Local.'),
      healthCheckNodePort: integer('Port of the health check.'),
      ipFamilies: texts('IPv4, IPv6.'),
      ipFamilyPolicy: text('SingleStack, PreferDualStack or RequireDualStack.'),
      allocateLoadBalancerNodePorts: flag('Whether a load balancer gets node ports.'),
      loadBalancerClass: text('Who makes the load balancer.'),
      loadBalancerIP: text('The wished address of the load balancer.'),
      loadBalancerSourceRanges: texts('Who may reach the load balancer.'),
      publishNotReadyAddresses: flag('Whether Pods count before they are ready.'),
      sessionAffinity: text('None or ClientIP.', { default: 'None' }),
      sessionAffinityConfig: object('How clients stick.', {
        clientIP: object('By their address.', { timeoutSeconds: integer('For how long.') }),
      }),
      trafficDistribution: text('Which endpoints are preferred.'),
    }),
    status: object('State of the service.', {
      loadBalancer: object('The load balancer.', { ingress: list('Its addresses.', ingress) }),
      conditions: mergedList(condition(), 'type', { description: 'Conditions of the service.' }),
    }),
  },
  columns,
  selectableFields: {
    'spec.clusterIP': (service) => textField(objectField(service, 'spec'), 'clusterIP'),
    'spec.type': (service) => textField(objectField(service, 'spec'), 'type'),
  },
  defaults: withPortDefaults,
  prepareCreate: (service, context) =>
    withFields(withAddress(service, context), { status: { loadBalancer: {} } }),
  prepareUpdate: keepAddress,
  validate: (service, old) => [...specErrors(service), ...addressErrors(service, old)],
});

function withPortDefaults(service: KubeObject): KubeObject {
  const spec = objectField(service, 'spec');
  if (!Array.isArray(spec.ports)) return service;
  const ports = spec.ports.map((item: unknown) =>
    isJsonObject(item) && item.targetPort === undefined ? { ...item, targetPort: item.port } : item,
  );
  return withFields(service, { spec: { ...spec, ports } });
}

function withAddress(service: KubeObject, context: HookContext): KubeObject {
  const spec = objectField(service, 'spec');
  if (textField(spec, 'type') === 'ExternalName') return service;
  const clusterIP = textField(spec, 'clusterIP') || allocateAddress(context);
  const families = clusterIP === 'None' ? {} : { ipFamilies: ['IPv4'] };
  const stack = { ipFamilyPolicy: 'SingleStack', internalTrafficPolicy: 'Cluster' };
  return withFields(service, {
    spec: { ...families, ...stack, ...spec, clusterIP, clusterIPs: [clusterIP] },
  });
}

// The addresses of 10.96.0.0/16, Kubernetes' customary service network.
function allocateAddress({ random, siblings }: HookContext): string {
  const taken = new Set<string>();
  for (const service of siblings()) taken.add(textField(objectField(service, 'spec'), 'clusterIP'));
  for (;;) {
    const address = randomAddress(random);
    if (!taken.has(address)) return address;
  }
}

function randomAddress(random: Random): string {
  return `10.96.${randomInt(random, 256)}.${1 + randomInt(random, 254)}`;
}

// A PUT or apply that says nothing about the address means the one that is there.
function keepAddress(service: KubeObject, old: KubeObject): KubeObject {
  const spec = objectField(service, 'spec');
  const before = objectField(old, 'spec');
  if (textField(spec, 'type') === 'ExternalName' || before.clusterIP === undefined) return service;
  const { clusterIP = before.clusterIP } = spec;
  const { ipFamilies = before.ipFamilies, ipFamilyPolicy = before.ipFamilyPolicy } = spec;
  const { internalTrafficPolicy = before.internalTrafficPolicy } = spec;
  const kept = {
    clusterIP,
    clusterIPs: [clusterIP],
    ipFamilies,
    ipFamilyPolicy,
    internalTrafficPolicy,
  };
  const defined = Object.entries(kept).filter(([, value]) => value !== undefined);
  return withFields(service, { spec: { ...spec, ...Object.fromEntries(defined) } });
}

const serviceTypes = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

function specErrors(service: KubeObject): readonly FieldError[] {
  const spec = objectField(service, 'spec');
  const errors: FieldError[] = [];
  const type = textField(spec, 'type');
  if (!serviceTypes.includes(type)) {
    const known = serviceTypes.map((name) => `"${name}"`).join(', ');
    const message = `Unsupported value: "${type}": supported values: ${known}`;
    errors.push(fieldError('FieldValueNotSupported', 'spec.type', message));
  }
  const ports = listField(spec, 'ports');
  if (ports.length === 0 && type !== 'ExternalName' && spec.clusterIP !== 'None') {
    errors.push(fieldError('FieldValueRequired', 'spec.ports', 'Required value'));
  }
  const named = ports.length > 1;
  for (const [index, item] of ports.entries()) {
    errors.push(...portErrors(item, `spec.ports[${index}]`, named));
  }
  return errors;
}

function portErrors(item: JsonObject, path: string, named: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (named && textField(item, 'name') === '') {
    errors.push(fieldError('FieldValueRequired', `${path}.name`, 'Required value'));
  }
  for (const field of ['port', 'targetPort']) {
    const value = item[field];
    if (typeof value !== 'number' || (value >= 1 && value <= 65_535)) continue;
    const message = `Invalid value: ${value}: must be between 1 and 65535, inclusive`;
    errors.push(fieldError('FieldValueInvalid', `${path}.${field}`, message));
  }
  return errors;
}

function addressErrors(service: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  const before = textField(objectField(old ?? service, 'spec'), 'clusterIP');
  const after = textField(objectField(service, 'spec'), 'clusterIP');
  if (before === '' || after === '' || before === after) return [];
  const message = `Invalid value: ["${after}"]: may not change once set`;
  return [fieldError('FieldValueInvalid', 'spec.clusterIPs[0]', message)];
}

function externalAddress(spec: JsonObject): string {
  if (textField(spec, 'type') === 'ExternalName') return textField(spec, 'externalName');
  const { externalIPs } = spec;
  if (Array.isArray(externalIPs) && externalIPs.length > 0) return externalIPs.join(',');
  return textField(spec, 'type') === 'LoadBalancer' ? '<pending>' : none;
}

function formatPorts(spec: JsonObject): string {
  const shown = listField(spec, 'ports').map((item) => {
    const node = typeof item.nodePort === 'number' ? `:${item.nodePort}` : '';
    return `${String(item.port)}${node}/${textField(item, 'protocol')}`;
  });
  return shown.length === 0 ? none : shown.join(',');
}

function formatSelector(spec: JsonObject): string {
  const pairs = Object.entries(objectField(spec, 'selector'));
  return pairs.length === 0
    ? none
    : pairs.map(([key, value]) => `${key}=${String(value)}`).join(',');
}
