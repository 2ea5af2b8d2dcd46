import { type CustomSource, customSourceName, type TriggerObject } from '@fnlet/api';
import { isJsonObject, type JsonObject, sha256 } from '@fnlet/base';
import type { KubeObject, OwnerReference } from '@fnlet/machinery';

/** Label of what runs a custom source; its value is the uid of the Trigger. */
export const sourceOfLabel = 'fnlet.dev/source-of';

/** Annotation of its Pods: the digest of the token that they were started with. */
const tokenAnnotation = 'fnlet.dev/source-token';

export interface SourceChildrenRequest {
  readonly trigger: TriggerObject;
  readonly source: CustomSource;
  /** Where events are sent. */
  readonly url: string;
  readonly token: string;
}

/**
 * What a custom source consists of: the Secret with address and token, and the Deployment of its
 * Pod, where there is one. A token that is another one makes the Pod anew.
 */
export function planSourceChildren(request: SourceChildrenRequest): readonly KubeObject[] {
  const { trigger, source, url, token } = request;
  const { namespace = '', name, uid = '' } = trigger.metadata;
  const metadata = {
    name: customSourceName(name),
    namespace,
    labels: { [sourceOfLabel]: uid },
  };
  const data = { token: base64(token), url: base64(url) };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data };
  const { template } = source;
  if (template === undefined) return [secret];
  const pod = {
    metadata: {
      labels: { ...template.metadata?.labels, [sourceOfLabel]: uid },
      annotations: {
        ...template.metadata?.annotations,
        [tokenAnnotation]: sha256(token).slice(0, 16),
      },
    },
    spec: {
      // What sends events has no business with the API, unless it says so.
      ...('serviceAccountName' in template.spec ? {} : { automountServiceAccountToken: false }),
      ...template.spec,
      containers: template.spec.containers.map((each) => withSink(each, metadata.name, url)),
    },
  };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: trigger.spec.paused === true ? 0 : 1,
      // Two of them would bring everything twice.
      strategy: { type: 'Recreate' },
      selector: { matchLabels: { [sourceOfLabel]: uid } },
      template: pod,
    },
  };
  return [secret, deployment];
}

/** What a container finds in its environment; before its own, so that these can refer to it. */
function withSink(container: unknown, secret: string, url: string): JsonObject {
  const known = isJsonObject(container) ? container : {};
  const own = Array.isArray(known.env) ? known.env : [];
  const names = new Set(own.map((each) => (isJsonObject(each) ? each.name : undefined)));
  const sink = [
    { name: 'K_SINK', value: url },
    { name: 'K_SINK_TOKEN', valueFrom: { secretKeyRef: { name: secret, key: 'token' } } },
  ];
  return { ...known, env: [...sink.filter(({ name }) => !names.has(name)), ...own] };
}

/** Whether an object is this Trigger's. */
export function isOwnedBy(object: KubeObject, trigger: TriggerObject): boolean {
  const owners: readonly OwnerReference[] = object.metadata.ownerReferences ?? [];
  return owners.some(({ uid, controller }) => controller && uid === trigger.metadata.uid);
}

/**
 * Why the Pod sends nothing, if so.
 *
 * @param deployment as it is now; `undefined` while there is none
 */
export function findPodTrouble(
  { spec }: TriggerObject,
  deployment: KubeObject | undefined,
): string | undefined {
  if (spec.source.custom?.template === undefined || spec.paused === true) return undefined;
  if (deployment === undefined) return 'Its Deployment is being made';
  const status =
    isJsonObject(deployment) && isJsonObject(deployment.status) ? deployment.status : {};
  if (typeof status.availableReplicas === 'number' && status.availableReplicas > 0)
    return undefined;
  const { name } = deployment.metadata;
  return `No Pod of Deployment "${name}" is available: see kubectl describe pods -l ${sourceOfLabel}=${deployment.metadata.labels?.[sourceOfLabel]}`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
