import type { JsonObject } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { change, changeItems, fill, fillZero } from '../fill.ts';
import { ipAddress, labels, named, network, port, protocol, qualifiedName } from '../form.ts';
import { duplicate, forbidden, invalid, missing } from '../refusal.ts';
import {
  about,
  all,
  alwaysOneOf,
  between,
  child,
  each,
  fields,
  isUnset,
  oneOf,
  type Rule,
  required,
  uniqueBy,
  whenSet,
} from '../rule.ts';

/** Three hours: how long clients stick to a Pod unless the Service says otherwise. */
const stickySeconds = 10_800;
const stickySecondsMax = 86_400;

/** What a Service means where it says nothing, but for its addresses (core/v1 defaults). */
export function serviceDefaults(spec: JsonObject): JsonObject {
  const filled = fill(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
  const type = textField(filled, 'type');
  const hasExternalIps = itemsOf(spec.externalIPs).length > 0;
  const isOutside =
    type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && hasExternalIps);
  const isInside = isOutside || type === 'ClusterIP';
  const ported = changeItems(filled, 'ports', (one) =>
    fillZero(fill(one, { protocol: 'TCP' }), { targetPort: one.port ?? 0 }),
  );
  const sticky = ported.sessionAffinity === 'ClientIP' ? stuck(ported) : ported;
  const whole = sticky.sessionAffinity === 'None' ? withoutStickiness(sticky) : sticky;
  return fill(whole, {
    ...(isOutside ? { externalTrafficPolicy: 'Cluster' } : {}),
    ...(isInside ? { internalTrafficPolicy: 'Cluster' } : {}),
    ...(type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: true } : {}),
  });
}

// What clients would stick to means nothing where they do not.
function withoutStickiness({ sessionAffinityConfig: _, ...spec }: JsonObject): JsonObject {
  return spec;
}

function stuck(spec: JsonObject): JsonObject {
  const config = fill(spec, { sessionAffinityConfig: { clientIP: {} } });
  return change(config, 'sessionAffinityConfig', (one) =>
    change(fill(one, { clientIP: {} }), 'clientIP', (clientIP) =>
      fill(clientIP, { timeoutSeconds: stickySeconds }),
    ),
  );
}

const portNumberOrZero: Rule = (value, path) =>
  between(1, 65_535)(typeof value === 'number' ? value : 0, path);

const servicePort: Rule = fields({
  port: portNumberOrZero,
  protocol: required(protocol),
  targetPort: port,
  appProtocol: qualifiedName,
});

// Several ports need names to tell them apart.
const servicePorts: Rule = (value, path) => {
  const ports = listField({ value }, 'value');
  return [
    ...ports.flatMap((one, i) => {
      const at = `${path}[${i}]`;
      const isNamed = !isUnset(one.name);
      return [
        ...(isNamed || ports.length < 2
          ? named('dns1123Label')(one.name, `${at}.name`)
          : [missing(`${at}.name`)]),
        ...servicePort(one, at),
      ];
    }),
    ...uniqueBy('name')(ports, path),
    ...samePorts(ports, path),
  ];
};

function samePorts(ports: readonly JsonObject[], path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap(({ port: number, nodePort, protocol: via }, i) => {
    const errors: FieldError[] = [];
    for (const [field, value] of Object.entries({ nodePort, port: number ?? 0 })) {
      if (isUnset(value)) continue;
      const key = `${field}/${String(via)}/${String(value)}`;
      const at = field === 'port' ? `${path}[${i}]` : `${path}[${i}].nodePort`;
      const shown = field === 'port' ? goPort(number, via) : value;
      if (seen.has(key)) errors.push(duplicate(at, shown));
      seen.add(key);
    }
    return errors;
  });
}

/** Shown as the Go struct that it is to Kubernetes. */
function goPort(port: unknown, via: unknown): JsonObject {
  const rest = { AppProtocol: null, Port: port ?? 0, TargetPort: 0, NodePort: 0 };
  return { Name: '', Protocol: via, ...rest };
}

const headless = 'None';

/** What each type of Service asks for, and what it has no use for. */
const typeRule: Rule = about((spec, path) => {
  const type = textField(spec, 'type');
  const ports = listField(spec, 'ports');
  const errors: FieldError[] = [];
  const isHeadless = spec.clusterIP === headless;
  if (ports.length === 0 && !isHeadless && type !== 'ExternalName') {
    errors.push(missing(child(path, 'ports')));
  }
  if (isHeadless && (type === 'LoadBalancer' || type === 'NodePort')) {
    const why = `may not be set to 'None' for ${type} services`;
    errors.push(invalid(child(path, 'clusterIPs[0]'), headless, why));
  }
  return errors;
});

const externalName: Rule = about((spec, path) => {
  if (spec.type !== 'ExternalName') return [];
  const why = 'may not be set for ExternalName services';
  const absent = ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'];
  const name = textField(spec, 'externalName').replace(/\.$/, '');
  return [
    ...absent
      .filter((field) => !isUnset(spec[field]) && String(spec[field]) !== '')
      .map((field) => forbidden(child(path, field), why)),
    ...required(named('dns1123Subdomain'))(name, child(path, 'externalName')),
  ];
});

const outside: Rule = about((spec, path) => {
  const type = textField(spec, 'type');
  const errors: FieldError[] = [];
  if (type === 'ClusterIP') {
    for (const [i, one] of listField(spec, 'ports').entries()) {
      if (isUnset(one.nodePort) || one.nodePort === 0) continue;
      const why = "may not be used when `type` is 'ClusterIP'";
      errors.push(forbidden(child(path, `ports[${i}].nodePort`), why));
    }
  }
  if (type === 'LoadBalancer') {
    return [...errors, ...qualifiedName(spec.loadBalancerClass, child(path, 'loadBalancerClass'))];
  }
  const only = "may only be used when `type` is 'LoadBalancer'";
  for (const field of ['allocateLoadBalancerNodePorts', 'loadBalancerClass']) {
    if (!isUnset(spec[field])) errors.push(forbidden(child(path, field), only));
  }
  const isReached = type === 'NodePort' || itemsOf(spec.externalIPs).length > 0;
  if (!isReached && !isUnset(spec.externalTrafficPolicy)) {
    const why = 'may only be set for externally-accessible services';
    const at = child(path, 'externalTrafficPolicy');
    errors.push(invalid(at, spec.externalTrafficPolicy, why));
  }
  return errors;
});

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const sticky: Rule = about((spec, path) => {
  const at = child(path, 'sessionAffinityConfig');
  const config = objectField(spec, 'sessionAffinityConfig');
  if (spec.sessionAffinity === 'None' && !isUnset(spec.sessionAffinityConfig)) {
    return [forbidden(at, 'must not be set when session affinity is None')];
  }
  if (spec.sessionAffinity !== 'ClientIP') return [];
  const { timeoutSeconds } = objectField(config, 'clientIP');
  const why = `must be greater than 0 and less than ${stickySecondsMax}`;
  const isGood = Number(timeoutSeconds) > 0 && Number(timeoutSeconds) <= stickySecondsMax;
  return isGood ? [] : [invalid(`${at}.clientIP.timeoutSeconds`, timeoutSeconds ?? 0, why)];
});

const families: Rule = (value, path) =>
  (Array.isArray(value) ? value : []).flatMap((family: unknown, i, all) => [
    ...alwaysOneOf('IPv4', 'IPv6')(family, `${path}[${i}]`),
    ...(all.indexOf(family) < i ? [duplicate(`${path}[${i}]`, family)] : []),
  ]);

const checkPort: Rule = about((spec, path) => {
  const { healthCheckNodePort: port = 0, type, externalTrafficPolicy } = spec;
  if (port === 0 || port === null) return [];
  const at = child(path, 'healthCheckNodePort');
  const errors = [...between(1, 65_535)(port, at)];
  if (type === 'LoadBalancer' && externalTrafficPolicy === 'Local') return errors;
  const why =
    "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [...errors, invalid(at, port, why)];
});

/** Told under the name that the field has in Go. */
const sourceRanges: Rule = about(({ loadBalancerSourceRanges: ranges, type }, path) => {
  const at = child(path, 'LoadBalancerSourceRanges');
  if (!Array.isArray(ranges) || ranges.length === 0) return [];
  const only = "may only be used when `type` is 'LoadBalancer'";
  if (type !== 'LoadBalancer') return [forbidden(at, only)];
  return ranges.flatMap((range: unknown, i) => network(String(range).trim(), `${at}[${i}]`));
});

const types = oneOf('ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort');
const policies = oneOf('Cluster', 'Local');

/** core/v1 ServiceSpec. */
export const serviceSpec: Rule = all(
  typeRule,
  externalName,
  fields({
    ports: servicePorts,
    selector: labels,
    sessionAffinity: required(oneOf('ClientIP', 'None')),
  }),
  sticky,
  fields({
    externalIPs: each(ipAddress),
    type: required(types),
    ipFamilies: families,
    ipFamilyPolicy: oneOf('PreferDualStack', 'RequireDualStack', 'SingleStack'),
    externalTrafficPolicy: policies,
    internalTrafficPolicy: whenSet(policies),
    trafficDistribution: oneOf('PreferClose', 'PreferSameNode', 'PreferSameZone'),
  }),
  sourceRanges,
  outside,
  checkPort,
);
