import { ConfigMap, type Operator, operator } from '@fnlet/sdk/operator';
import { answerWith, childName, defineThing, group, type Thing, type ThingKind } from './thing.ts';

export const Bundle: ThingKind = defineThing('Bundle');

/** The label by which a ConfigMap names the Bundle that it is a part of. */
export const bundleLabel: string = `${group}/bundle`;

/** One ConfigMap with the texts of all that are labelled as its parts. */
export function bundleOperator(): Operator<Thing> {
  return operator(Bundle, {
    owns: [ConfigMap],
    watches: [
      ConfigMap.select(bundleLabel).mapTo(({ metadata }) => {
        return { name: metadata.labels?.[bundleLabel] ?? '' };
      }),
    ],
    concurrency: 2,
    backoff: { cap: '20s' },
    reconcile({ object, related }) {
      const { name } = object.metadata;
      const parts = [...related(ConfigMap)].filter(
        ({ metadata }) => metadata.labels?.[bundleLabel] === name,
      );
      const texts = parts.map(({ metadata, data }) => [metadata.name, data?.text ?? '']);
      const data = { ...Object.fromEntries(texts), text: object.spec.text };
      return answerWith(object, [
        ConfigMap.of({ metadata: { name: childName(Bundle, name) }, data }),
      ]);
    },
  });
}
