import { ConfigMap, Deployment, type Operator, operator, Service } from '@fnlet/sdk/operator';
import { answerWith, childName, defineThing, type Thing, type ThingKind } from './thing.ts';

export const Site: ThingKind = defineThing('Site');

/** Three stages: what is served, who serves it, and, once it does, under which name. */
export function siteOperator(): Operator<Thing> {
  return operator(Site, {
    owns: [ConfigMap, Deployment.keep('spec', 'status'), Service],
    backoff: { cap: '20s' },
    reconcile({ object }) {
      const name = childName(Site, object.metadata.name);
      const { text, count } = object.spec;
      const labels = { app: name };
      const page = ConfigMap.of({ metadata: { name }, data: { text } });
      const web = Deployment.of({
        metadata: { name },
        spec: {
          replicas: count,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: {
              containers: [{ name: 'web', image: 'web:1', env: [{ name: 'T', value: text }] }],
            },
          },
        },
      });
      const door = Service.of({
        metadata: { name },
        spec: { selector: labels, ports: [{ port: 80 }] },
      });
      return answerWith(object, [[page], [web], [door]]);
    },
  });
}
