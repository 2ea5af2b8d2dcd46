import { isJsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { parseIp } from '@fnlet/schema';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { listField, textField, withFields } from '../../object/object-form.ts';
import { column, listed } from '../cells.ts';
import { immutable } from '../changes.ts';
import { changeItems, fill } from '../fill.ts';
import { givenIpAddress, labels, labelValue, named, protocol, qualifiedName } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { invalid } from '../refusal.ts';
import {
  about,
  all,
  atMostItems,
  each,
  fields,
  oneOf,
  type Rule,
  required,
  uniqueBy,
} from '../rule.ts';

const addressesMax = 100;
const portsMax = 20_000;
const endpointsMax = 1000;
const zonesMax = 8;

/** An address of the family; of another one it is told at the list. */
const family =
  (wanted: 4 | 6): Rule =>
  (text, path) => {
    const errors = givenIpAddress(text, path);
    if (errors.length > 0 || parseIp(String(text))?.family === wanted) return errors;
    return [invalid(path.replace(/\[\d+\]$/, ''), text, `must be an IPv${wanted} address`)];
  };

const zones: Rule = all(
  atMostItems(zonesMax),
  each(fields({ name: labelValue })),
  uniqueBy('name'),
);

const addressForms: Readonly<Record<string, Rule>> = {
  IPv4: family(4),
  IPv6: family(6),
  FQDN: named('dns1123Subdomain'),
};

const endpointsRule: Rule = about((slice) => {
  const form = addressForms[textField(slice, 'addressType')] ?? ((): [] => []);
  const endpoint = fields({
    addresses: required(
      all(atMostItems(addressesMax), each(form)),
      'must contain at least 1 address',
    ),
    nodeName: named('dns1123Subdomain'),
    deprecatedTopology: labels,
    hostname: named('dns1123Label'),
    hints: fields({ forZones: zones }),
  });
  return all(atMostItems(endpointsMax), each(endpoint))(slice.endpoints, 'endpoints');
});

const ports: Rule = all(
  atMostItems(portsMax),
  each(
    fields({
      name: named('dns1123Label'),
      protocol: required(protocol),
      appProtocol: qualifiedName,
    }),
  ),
  uniqueBy('name'),
);

function withDefaults(slice: KubeObject): KubeObject {
  const filled = changeItems(
    changeItems(slice, 'ports', (port) => fill({ name: '', ...port }, { protocol: 'TCP' })),
    'endpoints',
    (endpoint) => (isJsonObject(endpoint.conditions) ? endpoint : { ...endpoint, conditions: {} }),
  );
  const { endpoints = null, ports: named = null } = filled;
  return withFields(slice, { endpoints, ports: named });
}

const shownMax = 3;

function portsCell(slice: KubeObject): string {
  const texts = listField(slice, 'ports').map((port) =>
    typeof port.port === 'number' ? String(port.port) : textField(port, 'name') || '*',
  );
  return listed(texts, shownMax, '<unset>');
}

function endpointsCell(slice: KubeObject): string {
  const addresses = listField(slice, 'endpoints').flatMap(({ addresses: own }) =>
    Array.isArray(own) ? own.map(String) : [],
  );
  return listed(addresses, shownMax, '<unset>');
}

/** discovery.k8s.io/v1 EndpointSlice. */
export const endpointSliceRules: KindRules = {
  group: 'discovery.k8s.io',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  columns: [
    nameColumn,
    column('AddressType', 'What the addresses are.', (slice) => textField(slice, 'addressType')),
    column('Ports', 'The ports of every endpoint.', portsCell),
    column('Endpoints', 'The addresses.', endpointsCell),
    ageColumn,
  ],
  defaults: withDefaults,
  validate: validation(
    all(
      fields({ addressType: required(oneOf('FQDN', 'IPv4', 'IPv6')) }),
      endpointsRule,
      fields({ ports }),
    ),
    immutable('addressType'),
  ),
};
