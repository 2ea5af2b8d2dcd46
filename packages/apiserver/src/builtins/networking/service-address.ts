import { type JsonObject, type Random, randomInt } from '@fnlet/base';
import type { FieldError, KubeObject } from '@fnlet/machinery';
import { parseIp } from '@fnlet/schema';
import { internalError } from '../../answer/status-texts.ts';
import { listField, objectField, textField } from '../../object/object-form.ts';
import type { HookContext, UpdateContext } from '../../resource/strategy.ts';
import { changeItems, changeSpec } from '../fill.ts';
import { forbidden, invalid } from '../refusal.ts';
import { isUnset } from '../rule.ts';

// The addresses and node ports of Services. Nothing here forwards what comes to them; they are
// given out and kept as a cluster does, so that whoever reads a Service finds what it expects.

/** 10.96.0.0/16: Kubernetes' customary network of Services. */
const networkStart = [10, 96] as const;
const addressesMax = 256 * 254;
/** Kubernetes' customary range of node ports. */
const nodePortMin = 30_000;
const nodePortMax = 32_767;

/** A new Service with the addresses and ports that it needs and did not ask for by number. */
export function allocate(service: KubeObject, context: HookContext): KubeObject {
  return changeSpec(service, (spec) => withNodePorts(withAddress(spec, context), context));
}

/** A changed Service: what it had it keeps, what it newly needs it gets. */
export function reallocate(service: KubeObject, update: UpdateContext): KubeObject {
  if (update.subresource !== undefined) return service;
  const before = objectField(update.old, 'spec');
  return changeSpec(service, (spec) => {
    const kept = withKeptPorts(withKeptAddress(spec, before), before);
    return withNodePorts(withAddress(kept, update), update);
  });
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

function freeAddress({ random, siblings }: HookContext): string {
  const taken = new Set<string>();
  for (const service of siblings()) {
    const address = textField(objectField(service, 'spec'), 'clusterIP');
    if (address.startsWith(`${networkStart.join('.')}.`)) taken.add(address);
  }
  if (taken.size >= addressesMax)
    throw internalError('failed to allocate a serviceIP: range is full');
  for (;;) {
    const address = randomAddress(random);
    if (!taken.has(address)) return address;
  }
}

function randomAddress(random: Random): string {
  return [...networkStart, randomInt(random, 256), 1 + randomInt(random, 254)].join('.');
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

function withNodePorts(spec: JsonObject, { random, siblings }: HookContext): JsonObject {
  if (!needsNodePorts(spec) || !listField(spec, 'ports').some(isOpen)) return spec;
  const taken = new Set<number>();
  for (const service of siblings()) {
    for (const { nodePort } of listField(objectField(service, 'spec'), 'ports')) {
      if (isNodePort(nodePort)) taken.add(nodePort);
    }
  }
  return changeItems(spec, 'ports', (port) => {
    if (!isOpen(port)) return port;
    const nodePort = freePort(random, taken);
    taken.add(nodePort);
    return { ...port, nodePort };
  });
}

function isNodePort(port: unknown): port is number {
  return typeof port === 'number' && port >= nodePortMin && port <= nodePortMax;
}

function freePort(random: Random, taken: ReadonlySet<number>): number {
  if (taken.size > nodePortMax - nodePortMin) {
    throw internalError('failed to allocate a nodePort: range is full');
  }
  for (;;) {
    const port = nodePortMin + randomInt(random, nodePortMax - nodePortMin + 1);
    if (!taken.has(port)) return port;
  }
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
  if (next.loadBalancerClass !== before.loadBalancerClass && !isUnset(before.loadBalancerClass)) {
    errors.push(forbidden('spec.loadBalancerClass', 'may not change once set'));
  }
  return errors;
}
