import type { KubeObject } from '@fnlet/machinery';
import { nameColumn } from '../../answer/column.ts';
import { objectField, textField } from '../../object/object-form.ts';
import { column } from '../cells.ts';
import { immutableSpec } from '../changes.ts';
import { ipAddress } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { missing } from '../refusal.ts';
import { about, fields, isUnset, type Rule, required } from '../rule.ts';

const parent: Rule = about(({ parentRef }, path) =>
  isUnset(parentRef)
    ? [missing(`${path}.parentRef`)]
    : fields({ resource: required(), name: required() })(parentRef, `${path}.parentRef`),
);

function parentOf(address: KubeObject): string {
  const reference = objectField(objectField(address, 'spec'), 'parentRef');
  const parts = ['group', 'resource', 'namespace', 'name'].map((part) =>
    textField(reference, part),
  );
  return parts.filter((part) => part !== '').join('/');
}

/** networking.k8s.io/v1 IPAddress: its name is the address. */
export const ipAddressRules: KindRules = {
  group: 'networking.k8s.io',
  kind: 'IPAddress',
  plural: 'ipaddresses',
  nameRule: 'pathSegment',
  columns: [nameColumn, column('ParentRef', 'What has the address.', parentOf)],
  validate: validation(
    fields({ metadata: fields({ name: ipAddress }), spec: parent }),
    immutableSpec('parentRef'),
  ),
};
