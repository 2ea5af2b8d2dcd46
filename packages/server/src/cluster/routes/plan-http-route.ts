import type { TriggerObject } from '@fnlet/api';
import { FnletError } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { ruleMatchesMax } from './limits.ts';
import { routeLabels, routeName, routeRole, routeTypes } from './route-kinds.ts';
import { matchesOf } from './route-match.ts';

/** The Gateway of the Gateway API that routes belong to. */
export interface ParentReference {
  readonly namespace: string;
  readonly name: string;
  /** Which of its listeners. Default: all that take them. */
  readonly sectionName?: string;
}

export interface HttpRouteTerms {
  readonly parent: ParentReference;
  /** Service in the namespace of the Trigger that leads to the Gateway of Fnlet. */
  readonly service: string;
  readonly port: number;
}

/**
 * The HTTPRoute that leads the requests of a Trigger to the Gateway (gateway.networking.k8s.io/v1);
 * `undefined` for one that has none. TLS ends at the listener, which has the certificate.
 *
 * A Trigger has at most as many hosts and paths as an HTTPRoute takes: 16 hostnames, 128 matches.
 */
export function planHttpRoute(
  trigger: TriggerObject,
  { parent, service, port }: HttpRouteTerms,
): KubeObject | undefined {
  const { http } = trigger.spec.source;
  if (http === undefined) return undefined;
  const { hosts = [] } = http;
  const matches = matchesOf(http).map(({ type, path }) => ({
    path: { type: type === 'Prefix' ? 'PathPrefix' : 'Exact', value: path },
  }));
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: routeTypes.httpRoute.kind,
    metadata: {
      name: routeName(trigger),
      namespace: trigger.metadata.namespace ?? '',
      labels: routeLabels(routeRole(trigger)),
    },
    spec: {
      parentRefs: [parent],
      ...(hosts.length === 0 ? {} : { hostnames: hosts }),
      rules: rulesOf(matches).map((some) => {
        return { matches: some, backendRefs: [{ name: service, port }] };
      }),
    },
  };
}

/** As few rules as hold all of them; a route takes 16. */
function rulesOf<T>(matches: readonly T[]): readonly (readonly T[])[] {
  const size = ruleMatchesMax;
  const count = Math.ceil(matches.length / size);
  return Array.from({ length: count }, (_, n) => matches.slice(n * size, (n + 1) * size));
}

/**
 * Reads `namespace/name` or `namespace/name/listener`.
 *
 * @throws FnletError `InvalidConfig`
 */
export function parseParentReference(text: string): ParentReference {
  const [namespace = '', name = '', sectionName, ...rest] = text.split('/');
  const parts = [namespace, name, ...(sectionName === undefined ? [] : [sectionName])];
  if (rest.length > 0 || parts.length < 2 || !parts.every((part) => dnsName.test(part))) {
    const message = `Cannot read the Gateway "${text}": expected namespace/name, or namespace/name/listener`;
    throw new FnletError('InvalidConfig', message);
  }
  return { namespace, name, ...(sectionName === undefined ? {} : { sectionName }) };
}

const dnsName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
