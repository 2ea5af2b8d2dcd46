import type { JsonObject } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import { containsCidr, parseCidr } from '@fnlet/schema';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { listField, objectField } from '../../object/object-form.ts';
import { column } from '../cells.ts';
import { changeItems, changeSpec, fill } from '../fill.ts';
import { network, port, portNumber } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { labelSelector, shownSelector } from '../label-selector-rule.ts';
import { forbidden, invalid, missing } from '../refusal.ts';
import { about, all, child, each, fields, isUnset, oneOf, type Rule, required } from '../rule.ts';

const endPort: Rule = about((spec, path) => {
  const { endPort: last, port: first } = spec;
  const at = child(path, 'endPort');
  if (typeof last !== 'number') return [];
  if (isUnset(first)) {
    return [invalid(at, last, 'may not be specified when `port` is not specified')];
  }
  if (typeof first !== 'number') {
    return [invalid(at, last, 'may not be specified when `port` is non-numeric')];
  }
  // The port is shown, as Kubernetes does.
  const errors =
    last < first ? [invalid(at, first, 'must be greater than or equal to `port`')] : [];
  return [...errors, ...portNumber(last, at)];
});

const ports: Rule = each(all(fields({ protocol: oneOf('TCP', 'UDP', 'SCTP'), port }), endPort));

/** Every exception lies within the block, and leaves something of it. */
const exceptions: Rule = about((block, path) => {
  const whole = typeof block.cidr === 'string' ? parseCidr(block.cidr) : undefined;
  const { except } = block;
  if (whole === undefined || !Array.isArray(except)) return [];
  return except.flatMap((text: unknown, i): FieldError[] => {
    const part = typeof text === 'string' ? parseCidr(text) : undefined;
    if (part === undefined) return [];
    const isPart = part.prefixLength > whole.prefixLength && containsCidr(whole, part);
    const at = `${path}.except[${i}]`;
    return isPart ? [] : [invalid(at, text, 'must be a strict subset of `cidr`')];
  });
});

const ipBlock: Rule = all(fields({ cidr: required(network), except: each(network) }), exceptions);

const peer: Rule = about((asked, path) => {
  const selectors = ['podSelector', 'namespaceSelector'].filter((name) => !isUnset(asked[name]));
  const errors = [
    ...fields({ podSelector: labelSelector, namespaceSelector: labelSelector })(asked, path),
    ...(isUnset(asked.ipBlock) ? [] : ipBlock(asked.ipBlock, child(path, 'ipBlock'))),
  ];
  if (selectors.length === 0 && isUnset(asked.ipBlock)) {
    return [...errors, missing(path, 'must specify a peer')];
  }
  if (selectors.length === 0 || isUnset(asked.ipBlock)) return errors;
  return [...errors, forbidden(path, 'may not specify both ipBlock and another peer')];
});

const types: Rule = (value, path) =>
  Array.isArray(value) && value.length > 2
    ? [invalid(path, value, 'may not specify more than two policyTypes')]
    : each(oneOf('Ingress', 'Egress'))(value, path);

const specRule: Rule = fields({
  podSelector: labelSelector,
  ingress: each(fields({ ports, from: each(peer) })),
  egress: each(fields({ ports, to: each(peer) })),
  policyTypes: types,
});

function specDefaults(spec: JsonObject): JsonObject {
  // A policy that says nothing about its kind is for what comes in, and for more if it says so.
  const hasEgress = listField(spec, 'egress').length > 0;
  const policyTypes = hasEgress ? ['Ingress', 'Egress'] : ['Ingress'];
  const hasTypes = Array.isArray(spec.policyTypes) && spec.policyTypes.length > 0;
  const filled = hasTypes ? spec : { ...spec, policyTypes };
  const portDefaults = (rule: JsonObject): JsonObject =>
    changeItems(rule, 'ports', (one) => fill(one, { protocol: 'TCP' }));
  return changeItems(changeItems(filled, 'ingress', portDefaults), 'egress', portDefaults);
}

/** networking.k8s.io/v1 NetworkPolicy. */
export const networkPolicyRules: KindRules = {
  group: 'networking.k8s.io',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  columns: [
    nameColumn,
    column('Pod-Selector', 'The Pods that it is for.', (policy) =>
      shownSelector(objectField(policy, 'spec').podSelector),
    ),
    ageColumn,
  ],
  defaults: (policy) =>
    changeSpec(policy, (spec) => specDefaults({ ...spec, podSelector: spec.podSelector ?? {} })),
  validate: validation(fields({ spec: specRule })),
};
