import type { JsonObject } from '@fnlet/base';
import { type FieldError, invalidError, type KubeObject } from '@fnlet/machinery';
import { parseIp } from '@fnlet/schema';
import { internalError } from '../../answer/status-texts.ts';
import { listField, objectField, textField } from '../../object/object-form.ts';
import type { HookContext, UpdateContext } from '../../resource/strategy.ts';
import { changeItems, changeSpec } from '../fill.ts';
import { invalid } from '../refusal.ts';
import { isUnset } from '../rule.ts';
import { numbersOf } from './service-numbers.ts';

// The addresses and node ports of Services. Nothing here forwards what comes to them; they are
// given out and kept as a cluster does, so that whoever reads a Service finds what it expects.

/**
 * A new Service with the addresses and ports that it needs and did not ask for by number.
 *
 * @throws StatusError `Invalid` when another one has what it asked for, `InternalError` when
 * nothing is left
 */
export function allocate(service: KubeObject, context: HookContext): KubeObject {
  refuseUnfit(service);
  refuseTaken(service, {}, context);
  return changeSpec(service, (spec) => withNodePorts(withAddress(spec, context), context));
}

/**
 * A changed Service: what it had it keeps, what it newly needs it gets.
 *
 * @throws StatusError as `allocate` does
 */
export function reallocate(service: KubeObject, update: UpdateContext): KubeObject {
  if (update.subresource !== undefined) return service;
  refuseTaken(service, update.old, update);
  const before = objectField(update.old, 'spec');
  return changeSpec(service, (spec) => {
    const fitting = withoutOldType(spec, before);
    const kept = withKeptPorts(withKeptAddress(fitting, before), before);
    return withNodePorts(withAddress(kept, update), update);
  });
}

// A cluster of one family of addresses, as this is, gives out no others.
function refuseUnfit(service: KubeObject): void {
  const spec = objectField(service, 'spec');
  const address = textField(spec, 'clusterIP');
  const isHeadless = address === 'None';
  if (textField(spec, 'type') === 'ExternalName') return;
  const errors: FieldError[] = [];
  if (address !== '' && !isHeadless && parseIp(address) === undefined) {
    const why = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
    errors.push(invalid('spec.clusterIPs[0]', address, why));
  }
  const isAnybodys = isHeadless && isUnset(spec.selector);
  if (spec.ipFamilyPolicy === 'RequireDualStack' && !isAnybodys) {
    const why = 'this cluster is not configured for dual-stack services';
    errors.push(invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy, why));
  }
  if (errors.length === 0) return;
  throw invalidError({ group: '', kind: 'Service' }, service.metadata.name, errors);
}

// Words of the Service registry of kube-apiserver (alloc.go) and of its allocators.
function refuseTaken(service: KubeObject, old: JsonObject, { serviceNumbers }: HookContext): void {
  const spec = objectField(service, 'spec');
  const { address } = numbersOf(service);
  const own = numbersOf(old);
  const errors: FieldError[] = [];
  const needsAddress = textField(spec, 'type') !== 'ExternalName' && address !== own.address;
  if (needsAddress && address !== undefined && serviceNumbers.hasAddress(address)) {
    const why = `failed to allocate IP ${address}: provided IP is already allocated`;
    errors.push(invalid('spec.clusterIPs', [address], why));
  }
  for (const [i, { nodePort }] of listField(spec, 'ports').entries()) {
    if (!needsNodePorts(spec) || typeof nodePort !== 'number') continue;
    if (own.nodePorts.includes(nodePort) || !serviceNumbers.hasNodePort(nodePort)) continue;
    const why = 'provided port is already allocated';
    errors.push(invalid(`spec.ports[${i}].nodePort`, nodePort, why));
  }
  if (errors.length === 0) return;
  throw invalidError({ group: '', kind: 'Service' }, service.metadata.name, errors);
}

function withAddress(spec: JsonObject, context: HookContext): JsonObject {
  if (textField(spec, 'type') === 'ExternalName') return spec;
  const clusterIP = textField(spec, 'clusterIP') || freeAddress(context);
  const family = parseIp(clusterIP)?.family === 6 ? 'IPv6' : 'IPv4';
  const isHeadless = clusterIP === 'None';
  return {
    ...(isHeadless && isUnset(spec.selector) ? {} : { ipFamilies: [family] }),
    ipFamilyPolicy: 'SingleStack',
    ...spec,
    clusterIP,
    clusterIPs: Array.isArray(spec.clusterIPs) ? spec.clusterIPs : [clusterIP],
  };
}

function freeAddress({ random, serviceNumbers }: HookContext): string {
  const address = serviceNumbers.takeAddress(random);
  if (address === undefined) throw internalError('failed to allocate a serviceIP: range is full');
  return address;
}

function needsNodePorts(spec: JsonObject): boolean {
  const type = textField(spec, 'type');
  return (
    type === 'NodePort' || (type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)
  );
}

function isOpen({ nodePort }: JsonObject): boolean {
  return isUnset(nodePort) || nodePort === 0;
}

function withNodePorts(spec: JsonObject, { random, serviceNumbers }: HookContext): JsonObject {
  if (!needsNodePorts(spec) || !listField(spec, 'ports').some(isOpen)) return spec;
  const own = new Set(numbersOf({ spec }).nodePorts);
  return changeItems(spec, 'ports', (port) => {
    if (!isOpen(port)) return port;
    const nodePort = serviceNumbers.takeNodePort(random, own);
    if (nodePort === undefined) {
      throw internalError('failed to allocate a nodePort: range is full');
    }
    own.add(nodePort);
    return { ...port, nodePort };
  });
}

// A PUT or apply that says nothing about the address means the one that is there.
function withKeptAddress(spec: JsonObject, before: JsonObject): JsonObject {
  if (textField(spec, 'type') === 'ExternalName') return withoutAddress(spec, before);
  if (isUnset(before.clusterIP)) return spec;
  const names = ['ipFamilies', 'ipFamilyPolicy'].filter((name) => isUnset(spec[name]));
  const kept = names.map((name): [string, unknown] => [name, before[name]]);
  const clusterIP = textField(spec, 'clusterIP') || before.clusterIP;
  const isSame = clusterIP === before.clusterIP;
  const clusterIPs = isSame ? (spec.clusterIPs ?? before.clusterIPs) : [clusterIP];
  const present = kept.filter(([, value]) => value !== undefined);
  return { ...spec, ...Object.fromEntries(present), clusterIP, clusterIPs };
}

// What belonged to an address goes with it, unless the client changed it by hand.
function withoutAddress(spec: JsonObject, before: JsonObject): JsonObject {
  const own = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy'];
  const isOld = (name: string): boolean => String(spec[name]) === String(before[name]);
  const entries = Object.entries(spec).filter(([name]) => !own.includes(name) || !isOld(name));
  return Object.fromEntries(entries);
}

/** What only some types have (service registry, `dropTypeDependentFields`). */
const fieldsOfTypes: Readonly<Record<string, readonly string[]>> = {
  allocateLoadBalancerNodePorts: ['LoadBalancer'],
  loadBalancerClass: ['LoadBalancer'],
  healthCheckNodePort: ['LoadBalancer'],
  externalTrafficPolicy: ['LoadBalancer', 'NodePort'],
};

// What belonged to the type goes with it, too: nobody who changes the type alone asked for it.
function withoutOldType(spec: JsonObject, before: JsonObject): JsonObject {
  const goes = (name: string): boolean => {
    const types = fieldsOfTypes[name];
    if (types === undefined || spec[name] !== before[name]) return false;
    const { type } = spec;
    return types.includes(textField(before, 'type')) && !types.includes(String(type));
  };
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !goes(name)));
}

function withKeptPorts(spec: JsonObject, before: JsonObject): JsonObject {
  const old = listField(before, 'ports');
  if (needsNodePorts(spec)) return withPortsByName(spec, old);
  return changeItems(spec, 'ports', (port) => {
    const same = old.find((one) => one.port === port.port && one.protocol === port.protocol);
    const { nodePort, ...rest } = port;
    return !isUnset(nodePort) && nodePort === same?.nodePort ? rest : port;
  });
}

// A port is told by its name: another number or protocol leaves it its node port, unless another
// port asks for that one (upstream's `patchAllocatedValues`).
function withPortsByName(spec: JsonObject, old: readonly JsonObject[]): JsonObject {
  const used = new Set(listField(spec, 'ports').map(({ nodePort }) => nodePort));
  const named = new Map(old.map((port) => [textField(port, 'name'), port.nodePort]));
  return changeItems(spec, 'ports', (port) => {
    const nodePort = named.get(textField(port, 'name'));
    if (!isOpen(port) || isUnset(nodePort) || used.has(nodePort)) return port;
    used.add(nodePort);
    return { ...port, nodePort };
  });
}

/** An address, once given, stays. */
export function addressErrors(service: KubeObject, old: KubeObject): readonly FieldError[] {
  const next = objectField(service, 'spec');
  const before = objectField(old, 'spec');
  if (textField(next, 'type') === 'ExternalName' || isUnset(before.clusterIP)) return [];
  const errors: FieldError[] = [];
  if (next.clusterIP !== before.clusterIP) {
    const text = 'may not change once set';
    errors.push(invalid('spec.clusterIPs[0]', [next.clusterIP], text));
  }
  const stays = [next, before].every((spec) => textField(spec, 'type') === 'LoadBalancer');
  const [after = null, earlier = null] = [next.loadBalancerClass, before.loadBalancerClass];
  if (stays && after !== earlier) {
    errors.push(invalid('spec.loadBalancerClass', after, 'may not change once set'));
  }
  return errors;
}
