/**
 * Copies ConfigMaps and Secrets into the namespaces that their annotation `example.dev/copy-to`
 * names, and keeps the copies as the originals are: `kubectl annotate secret registry
 * example.dev/copy-to=team-a,team-b` with the label `example.dev/copied=yes`.
 */
import { ConfigMap, Namespace, operator, Secret } from 'fnlet/operator';

const label = 'example.dev/copied';
const annotation = 'example.dev/copy-to';

// Evaluated where the change is seen: a hub wakes nobody for a Secret that nobody is to get.
const targets = `object.metadata.annotations["${annotation}"].split(",")`;
const copies = 'example.dev/copy';

export default operator(Namespace, {
  name: 'propagator',
  owns: [ConfigMap.select(copies), Secret.select(copies)],
  watches: [
    ConfigMap.select(label).keep('data', 'binaryData', 'metadata.annotations').mapTo(targets),
    Secret.select(label).keep('data', 'type', 'metadata.annotations').mapTo(targets),
  ],
  reconcile({ object, related }) {
    const namespace = object.metadata.name;
    const isMeant = ({ metadata }: ConfigMap | Secret): boolean =>
      metadata.namespace !== namespace &&
      (metadata.annotations?.[annotation] ?? '').split(',').includes(namespace);
    const copyOf = ({ metadata: { name, namespace: home = '' } }: ConfigMap | Secret) => {
      return { name, namespace, labels: { [copies]: 'yes' }, annotations: { [copies]: home } };
    };
    return {
      children: [
        ...[...related(ConfigMap)].filter(isMeant).map((original) => {
          const { data = {}, binaryData = {} } = original;
          return ConfigMap.of({ metadata: copyOf(original), data, binaryData });
        }),
        ...[...related(Secret)].filter(isMeant).map((original) => {
          const { data = {}, type = 'Opaque' } = original;
          return Secret.of({ metadata: copyOf(original), data, type });
        }),
      ],
    };
  },
});
