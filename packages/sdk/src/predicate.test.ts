import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  and,
  annotationsChanged,
  cel,
  generationChanged,
  labelsChanged,
  not,
  or,
} from '@fnlet/sdk';

test('a predicate is data that survives being written and read', () => {
  const predicate = and(
    or(generationChanged, labelsChanged),
    not(annotationsChanged),
    cel('object.spec.replicas > 1'),
  );
  assert.deepEqual(JSON.parse(JSON.stringify(predicate)), {
    and: [
      { or: ['generationChanged', 'labelsChanged'] },
      { not: 'annotationsChanged' },
      { cel: 'object.spec.replicas > 1' },
    ],
  });
});

test('cel() as a template keeps backslashes, which are CEL escapes, and puts values in place', () => {
  const tier = 'web';
  assert.deepEqual(cel`object.metadata.name.matches("\d+") && "${tier}" == 'web' && ${3} > 2`, {
    cel: 'object.metadata.name.matches("\\d+") && "web" == \'web\' && 3 > 2',
  });
});
