/**
 * A GeneratedConfig keeps an immutable ConfigMap whose name ends with the digest of what is in it,
 * as kustomize does: who mounts it by that name is restarted by every change, and by no other. It
 * merges literals with the data of other ConfigMaps, and follows those too.
 */
import { createHash } from 'node:crypto';
import { ConfigMap, defineKind, field, operator, progressing, ready, run } from 'fnlet/operator';

export const GeneratedConfig = defineKind({
  group: 'example.dev',
  version: 'v1',
  kind: 'GeneratedConfig',
  shortNames: ['gc'],
  description: 'A ConfigMap under a name that changes with what is in it.',
  spec: {
    from: field.list(
      'ConfigMaps of the same namespace whose data is taken.',
      field.text('A name.'),
      {
        default: [],
        maxItems: 20,
      },
    ),
    literals: field.map('Data of its own, which wins.', field.text('A value.'), { default: {} }),
  },
  status: { configMap: field.text('The ConfigMap as it is called now.') },
  columns: { ConfigMap: '.status.configMap' },
});

const label = 'example.dev/feeds';

const generatedConfigs = operator(GeneratedConfig, {
  owns: [ConfigMap],
  // Sources name the GeneratedConfigs that they feed in a label, separated by dots.
  watches: [
    ConfigMap.keep('data')
      .select(label)
      .mapTo(({ metadata }) =>
        (metadata.labels?.[label] ?? '').split('.').map((name) => ({ name })),
      ),
  ],
  reconcile({ object, related }) {
    const sources = object.spec.from.map((name) => ({ name, found: related(ConfigMap).get(name) }));
    const missing = sources.filter(({ found }) => found === undefined).map(({ name }) => name);
    if (missing.length > 0) {
      return { conditions: [progressing('SourceMissing', `Waits for ${missing.join(', ')}.`)] };
    }
    const parts = [...sources.map(({ found }) => found?.data ?? {}), object.spec.literals];
    const data: Record<string, string> = Object.assign({}, ...parts);
    const sorted = Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const digest = createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 10);
    const name = `${object.metadata.name}-${digest}`;
    return {
      children: [ConfigMap.of({ metadata: { name }, immutable: true, data })],
      status: { configMap: name },
      conditions: [ready()],
    };
  },
});
export default generatedConfigs;

// As a program it runs itself: node config-map-generator.ts
if (import.meta.main) await run(generatedConfigs);
