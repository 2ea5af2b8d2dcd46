import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { ageColumn, type Column, nameColumn } from '../answer/column.ts';
import { listField, objectField, textField, withFields } from '../object/object-form.ts';
import { mergedList } from '../patch/patch-annotations.ts';
import type { Strategy } from '../resource/strategy.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { column, none, specText, wideColumn } from './cells.ts';
import { changeSpec } from './fill.ts';
import { validation } from './kind-rules.ts';
import { shownSelector } from './label-selector-rule.ts';
import { loadBalancerAddresses } from './networking/load-balancer.ts';
import { addressErrors, allocate, reallocate } from './networking/service-address.ts';
import { serviceDefaults, serviceSpec } from './networking/service-rule.ts';
import { fields } from './rule.ts';
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

const port = object('A port of the service.', {
  name: text('Name of the port; needed when there are several.'),
  protocol: text('TCP, UDP or SCTP.', { default: 'TCP' }),
  appProtocol: text('The application protocol.'),
  port: integer('The port of the service.'),
  targetPort: intOrString('The port of the Pods, by number or name.'),
  nodePort: integer('The port on every node.'),
});

const ingress = object('Where the load balancer is reached.', {
  ip: text('Its address.'),
  hostname: text('Its name.'),
  ipMode: text('How traffic to the address arrives.'),
});

const columns: readonly Column[] = [
  nameColumn,
  column('Type', 'How the service is reached.', specText('type')),
  column('Cluster-IP', 'Its address inside.', (one) => specText('clusterIP')(one) || none),
  column('External-IP', 'Its address from outside.', externalAddress),
  column('Port(s)', 'Its ports.', (service) => formatPorts(objectField(service, 'spec'))),
  ageColumn,
  wideColumn('Selector', 'Which Pods it is for.', (service) =>
    shownSelector({ matchLabels: objectField(service, 'spec').selector }),
  ),
];

export const serviceStrategy: Strategy = builtinStrategy({
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  createOnUpdate: true,
  nameRule: 'dns1123Label',
  description: 'A Service is a stable address for a changing set of Pods.',
  fields: {
    spec: object('What the service is.', {
      type: text('ClusterIP, NodePort, LoadBalancer or ExternalName.'),
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
      sessionAffinity: text('None or ClientIP.'),
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
  defaults: (service) => changeSpec(service, serviceDefaults),
  prepareCreate: (service, context) =>
    withFields(allocate(service, context), { status: { loadBalancer: {} } }),
  prepareUpdate: reallocate,
  validate: validation(fields({ spec: serviceSpec }), addressErrors),
});

function externalAddress(service: KubeObject): string {
  const spec = objectField(service, 'spec');
  if (textField(spec, 'type') === 'ExternalName') return textField(spec, 'externalName');
  const { externalIPs } = spec;
  const given = Array.isArray(externalIPs) ? externalIPs.map(String) : [];
  if (textField(spec, 'type') !== 'LoadBalancer') return given.join(',') || none;
  const balanced = loadBalancerAddresses(service);
  return [balanced, ...given].filter((address) => address !== '').join(',') || '<pending>';
}

function formatPorts(spec: JsonObject): string {
  const shown = listField(spec, 'ports').map((item) => {
    const node = typeof item.nodePort === 'number' ? `:${item.nodePort}` : '';
    return `${String(item.port)}${node}/${textField(item, 'protocol')}`;
  });
  return shown.length === 0 ? none : shown.join(',');
}
