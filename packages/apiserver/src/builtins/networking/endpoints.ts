import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { parseIp } from '@fnlet/schema';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { listField, textField, withFields } from '../../object/object-form.ts';
import { column, listed, none } from '../cells.ts';
import { changeItems, fill } from '../fill.ts';
import { givenIpAddress, givenPortNumber, named, protocol } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { invalid, missing } from '../refusal.ts';
import { about, all, each, fields, isUnset, type Rule, required } from '../rule.ts';

/** An address that a Pod may have; an address of the machine itself is good here. */
const endpointIp: Rule = all(givenIpAddress, (value, path) =>
  parseIp(String(value ?? '')) === undefined
    ? [invalid(path, value ?? '', 'must be a valid IP address')]
    : [],
);

const address: Rule = fields({
  ip: endpointIp,
  hostname: named('dns1123Label'),
  nodeName: named('dns1123Subdomain'),
});

const somewhere: Rule = about((subset, path) =>
  ['addresses', 'notReadyAddresses'].some((field) => listField(subset, field).length > 0)
    ? []
    : [missing(path, 'must specify `addresses` or `notReadyAddresses`')],
);

const portNames: Rule = about((subset, path) => {
  const ports = listField(subset, 'ports');
  if (ports.length < 2) return [];
  return ports.flatMap(({ name }, i) =>
    isUnset(name) ? [missing(`${path}.ports[${i}].name`)] : [],
  );
});

const subsets: Rule = each(
  all(
    somewhere,
    fields({ addresses: each(address), notReadyAddresses: each(address) }),
    portNames,
    fields({
      ports: each(
        fields({
          name: named('dns1123Label'),
          port: givenPortNumber,
          protocol: required(protocol),
        }),
      ),
    }),
  ),
);

function withDefaults(endpoints: KubeObject): KubeObject {
  const filled = changeItems(endpoints, 'subsets', (subset) =>
    changeItems(subset, 'ports', (port) => fill(port, { protocol: 'TCP' })),
  );
  return withFields(endpoints, { subsets: filled.subsets });
}

const shownMax = 3;

function subsetCells(subset: JsonObject): readonly string[] {
  const addresses = listField(subset, 'addresses').map((one) => textField(one, 'ip'));
  const ports = listField(subset, 'ports');
  if (ports.length === 0) return addresses;
  return ports.flatMap(({ port }) =>
    addresses.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${String(port)}`),
  );
}

function endpointsCell(endpoints: KubeObject): string {
  return listed(listField(endpoints, 'subsets').flatMap(subsetCells), shownMax, none);
}

/** core/v1 Endpoints. */
export const endpointsRules: KindRules = {
  kind: 'Endpoints',
  plural: 'endpoints',
  createOnUpdate: true,
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  columns: [
    nameColumn,
    column('Endpoints', 'The addresses with their ports.', endpointsCell),
    ageColumn,
  ],
  defaults: withDefaults,
  validate: validation(fields({ subsets })),
};
