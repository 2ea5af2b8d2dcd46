import { ageColumn, nameColumn } from '../answer/column.ts';
import { objectField, textField } from '../object/object-form.ts';
import type { Strategy } from '../resource/strategy.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { validation } from './kind-rules.ts';
import { fields, must } from './rule.ts';
import { integer, object, text, time } from './schema-words.ts';

export const leaseStrategy: Strategy = builtinStrategy({
  group: 'coordination.k8s.io',
  kind: 'Lease',
  plural: 'leases',
  createOnUpdate: true,
  description: 'A Lease says who leads, and until when.',
  fields: {
    spec: object('The state of the lease.', {
      holderIdentity: text('Who holds the lease; empty when nobody does.'),
      leaseDurationSeconds: integer('How long after renewTime others must wait.'),
      acquireTime: time('When the holder took the lease.'),
      renewTime: time('When the holder last renewed it.'),
      leaseTransitions: integer('How often the lease changed hands.'),
      strategy: text('How a leader is chosen in coordinated leader election.'),
      preferredHolder: text('Whom the holder should hand the lease to.'),
    }),
  },
  columns: [
    nameColumn,
    {
      name: 'Holder',
      type: 'string',
      description: 'Who holds the lease.',
      cell: (lease) => textField(objectField(lease, 'spec'), 'holderIdentity'),
    },
    ageColumn,
  ],
  validate: validation(
    fields({
      spec: fields({
        leaseDurationSeconds: must((value) => Number(value) > 0, 'must be greater than 0'),
        leaseTransitions: must((value) => Number(value) >= 0, 'must be greater than or equal to 0'),
      }),
    }),
  ),
});
