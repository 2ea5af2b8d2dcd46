import type { MetricFamily } from '@fnlet/base';
import type { Instance, RunnableRevision } from '@fnlet/executor';

/** How many Instances are wanted of each Revision that is awake, and how many there are. */
export function instanceMetrics(
  wanted: readonly (readonly [RunnableRevision, number])[],
  instances: readonly Instance[],
): readonly MetricFamily[] {
  const found = new Map<string, { readonly labels: Labels; value: number }>();
  for (const { revision, phase } of instances) {
    const id = `${revision.id} ${phase}`;
    const sample = found.get(id) ?? { labels: { ...labelsOf(revision), phase }, value: 0 };
    sample.value++;
    found.set(id, sample);
  }
  return [
    {
      name: 'fnlet_instances_wanted',
      type: 'gauge',
      help: 'Instances that there should be; Revisions that sleep are left out.',
      samples: wanted.map(([revision, value]) => ({ labels: labelsOf(revision), value })),
    },
    {
      name: 'fnlet_instances',
      type: 'gauge',
      help: 'Instances that there are, by phase.',
      samples: [...found.values()],
    },
  ];
}

type Labels = Readonly<Record<string, string>>;

function labelsOf({ namespace, function: name, revision }: RunnableRevision): Labels {
  return { namespace, function: name, revision };
}
