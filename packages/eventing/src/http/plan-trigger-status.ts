import {
  type FunctionTarget,
  formatTarget,
  type HttpSource,
  type TriggerReason,
  triggerConditions,
  triggerReasons,
} from '@fnlet/api';
import { type ConditionUpdate, parseObjectKey } from '@fnlet/machinery';
import type { StatusUpdate } from '@fnlet/reconcile';
import { limits } from '../limits.ts';
import type { CertificateTrouble } from './judge-certificate.ts';
import type { MadePolicy } from './made-policy.ts';
import { type LostMatch, writtenPath } from './plan-http-route.ts';

/** What is found out about a Trigger with the source http. */
export interface HttpTriggerStanding extends RouteStanding {
  readonly target: FunctionTarget;
  /** The tags of its Function; `undefined` while there is no such Function. */
  readonly targetTags: ReadonlySet<string> | undefined;
}

/** What is found out about its route. */
export interface RouteStanding {
  readonly namespace: string;
  readonly source: HttpSource;
  readonly lost: readonly LostMatch[];
  /** What it demands of requests, if anything. */
  readonly policy: Pick<MadePolicy, 'trouble' | 'remarks'> | undefined;
  /** What is wrong with its certificate, if anything. */
  readonly certificateTrouble: CertificateTrouble | undefined;
  readonly gatewayUrls: GatewayUrls;
}

/** Where people reach the Gateway, such as `http://127.0.0.1:8080`. */
export interface GatewayUrls {
  readonly http: string;
  /** Default: it does not speak TLS. */
  readonly https?: string;
}

/** What the status of the Trigger says. */
export function planTriggerStatus(standing: HttpTriggerStanding): StatusUpdate {
  return {
    fields: { type: 'http', target: formatTarget(standing.target), url: routeUrl(standing) },
    conditions: [readiness(standing)],
  };
}

/** Where its requests go. */
export function routeUrl({ source, gatewayUrls }: RouteStanding): string {
  const { http, https = http } = gatewayUrls;
  return urlOf(source, source.tls === undefined ? http : https);
}

/** Why its requests do not all come in, if so. */
export function findRouteTrouble(standing: RouteStanding): ConditionUpdate | undefined {
  const { namespace, source, lost, policy, certificateTrouble, gatewayUrls } = standing;
  if (lost.length > 0) return notReady('routeConflict', conflictMessage(lost, namespace));
  if (policy?.trouble !== undefined) return notReady('policyIncomplete', policy.trouble);
  if (certificateTrouble !== undefined) {
    return notReady(certificateTrouble.reason, certificateTrouble.message);
  }
  if (source.tls !== undefined && gatewayUrls.https === undefined) {
    return notReady('tlsNotServed', 'The Gateway speaks no TLS: start Fnlet with --https-port');
  }
  return undefined;
}

function readiness(standing: HttpTriggerStanding): ConditionUpdate {
  const { target, policy, targetTags } = standing;
  const { function: name, tag } = target;
  const trouble = findRouteTrouble(standing);
  if (trouble !== undefined) return trouble;
  if (targetTags === undefined) {
    const message = `Function "${name}" does not exist: create it; until then callers are told 503`;
    return notReady('functionNotFound', message);
  }
  if (tag !== undefined && !targetTags.has(tag)) {
    const message = `Function "${name}" has no tag "${tag}": add it to its spec.traffic`;
    return notReady('tagNotFound', message);
  }
  const message = [`Its requests reach Function "${name}"`, ...(policy?.remarks ?? [])].join('; ');
  return { type: triggerConditions.ready, status: 'True', reason: triggerReasons.ready, message };
}

function notReady(reason: keyof typeof triggerReasons, message: string): ConditionUpdate {
  const said: TriggerReason = triggerReasons[reason];
  return { type: triggerConditions.ready, status: 'False', reason: said, message };
}

function conflictMessage(lost: readonly LostMatch[], namespace: string): string {
  const told = lost
    .slice(0, limits.conflictsToldMax)
    .map(({ what, holder }) => `${what} belongs to ${describeHolder(holder, namespace)}`);
  const more = lost.length - told.length;
  if (more > 0) told.push(`and ${more} more`);
  return `${told.join('; ')}: change the hosts, paths or methods of one of them`;
}

// What others have in their namespaces is not told.
function describeHolder(holder: string, namespace: string): string {
  return parseObjectKey(holder).namespace === namespace
    ? `the older Trigger ${holder}`
    : 'an older Trigger of another namespace';
}

function urlOf({ hosts = [], paths = [] }: HttpSource, gatewayUrl: string): string {
  const { protocol, host, port } = new URL(gatewayUrl);
  const named = hosts.find((each) => !each.startsWith('*')) ?? hosts[0];
  const [path = { prefix: '/' }] = paths;
  const place = named === undefined ? host : `${named}${port === '' ? '' : `:${port}`}`;
  return `${protocol}//${place}${writtenPath(path).text}`;
}
