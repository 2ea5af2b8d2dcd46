import type { TriggerObject } from '@fnlet/api';
import type { KubeObject } from '@fnlet/machinery';
import { routeLabels, routeName, routeRole, routeTypes } from './route-kinds.ts';
import { matchesOf } from './route-match.ts';

export interface IngressTerms {
  /** IngressClass, such as `nginx`. */
  readonly className: string;
  /** What the controller of that class reads, such as timeouts. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Service in the namespace of the Trigger that leads to the Gateway. */
  readonly service: string;
  readonly port: number;
}

/**
 * The Ingress that leads the requests of a Trigger to the Gateway (networking.k8s.io/v1);
 * `undefined` for one that has none.
 */
export function planIngress(trigger: TriggerObject, terms: IngressTerms): KubeObject | undefined {
  const { http } = trigger.spec.source;
  if (http === undefined) return undefined;
  const { className, annotations, service, port } = terms;
  const { hosts = [], tls } = http;
  const backend = { service: { name: service, port: { number: port } } };
  const paths = matchesOf(http).map(({ type, path }) => ({ path, pathType: type, backend }));
  const hasAnnotations = Object.keys(annotations).length > 0;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: routeTypes.ingress.kind,
    metadata: {
      name: routeName(trigger),
      namespace: trigger.metadata.namespace ?? '',
      labels: routeLabels(routeRole(trigger)),
      ...(hasAnnotations ? { annotations } : {}),
    },
    spec: {
      ingressClassName: className,
      // Without a secret the controller of the class shows its own certificate.
      ...(tls?.secretName === undefined ? {} : { tls: [{ hosts, secretName: tls.secretName }] }),
      rules:
        hosts.length === 0
          ? [{ http: { paths } }]
          : hosts.map((host) => ({ host, http: { paths } })),
    },
  };
}
