import {
  type FunctionObject,
  functionLabel,
  functionType,
  type OperatorObject,
  operatorType,
  type RevisionObject,
  type RuntimeObject,
  revisionType,
  runtimeType,
  type TriggerObject,
  triggerType,
} from '@fnlet/api';
import { hasCode } from '@fnlet/base';
import {
  type Client,
  createClient,
  createHttpTransport,
  type ResourceClient,
  type Transport,
} from '@fnlet/client';
import type { Condition, KubeObject, ResourceType } from '@fnlet/machinery';
import type { CliContext, GlobalOptions } from './cli-context.ts';
import { findKubeconfig } from './find-kubeconfig.ts';

/** A Pod, as far as this command looks at it. */
export interface PodObject extends KubeObject {
  readonly spec?: { readonly containers?: readonly { readonly name: string }[] };
  readonly status?: {
    readonly phase?: string;
    readonly startTime?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly {
      readonly name?: string;
      readonly ready?: boolean;
      readonly restartCount?: number;
      readonly state?: Readonly<Record<string, { readonly reason?: string }>>;
      readonly lastState?: {
        readonly terminated?: { readonly exitCode?: number; readonly reason?: string };
      };
    }[];
  };
}

/** A core/v1 Event, as far as this command looks at it. */
export interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
}

const podType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
};
const namespaceType: ResourceType = {
  ...podType,
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};
const eventType: ResourceType = { ...podType, kind: 'Event', plural: 'events' };
const secretType: ResourceType = { ...podType, kind: 'Secret', plural: 'secrets' };

/** The API that the kubeconfig names, ready to be asked. */
export interface Connection extends AsyncDisposable {
  readonly transport: Transport;
  readonly client: Client;
  /** Where it is: a name or an address. */
  readonly apiHost: string;
  /** The namespace that commands act in. */
  readonly namespace: string;
  readonly namespaces: ResourceClient<KubeObject>;
  readonly functions: ResourceClient<FunctionObject>;
  readonly revisions: ResourceClient<RevisionObject>;
  readonly pods: ResourceClient<PodObject>;
  readonly events: ResourceClient<EventObject>;
  readonly secrets: ResourceClient<KubeObject>;
  readonly runtimes: ResourceClient<RuntimeObject>;
  readonly triggers: ResourceClient<TriggerObject>;
  readonly operators: ResourceClient<OperatorObject>;
  listFunctions(options: { readonly allNamespaces: boolean }): Promise<readonly FunctionObject[]>;
}

/** Connects to the API that the kubeconfig leads to, see `findKubeconfig`. */
export async function connect(options: GlobalOptions, context: CliContext): Promise<Connection> {
  const config = await findKubeconfig(options, context);
  const transport = createHttpTransport(config);
  const client: Client = createClient(transport, { fieldManager: 'fnlet' });
  const namespace = options.namespace ?? config.namespace ?? 'default';
  const functions = client.of<FunctionObject>(functionType);
  return {
    transport,
    client,
    apiHost: new URL(config.server).hostname,
    namespace,
    namespaces: client.of<KubeObject>(namespaceType),
    functions,
    revisions: client.of<RevisionObject>(revisionType),
    pods: client.of<PodObject>(podType),
    events: client.of<EventObject>(eventType),
    secrets: client.of<KubeObject>(secretType),
    runtimes: client.of<RuntimeObject>(runtimeType),
    triggers: client.of<TriggerObject>(triggerType),
    operators: client.of<OperatorObject>(operatorType),
    async listFunctions({ allNamespaces }) {
      const where = allNamespaces ? {} : { namespace };
      return Array.fromAsync(functions.listAll({ ...where, signal: context.signal }));
    },
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

/** The Revisions of this very Function. */
export async function listRevisions(
  { revisions, namespace }: Pick<Connection, 'revisions' | 'namespace'>,
  { metadata }: FunctionObject,
  { signal }: CliContext,
): Promise<readonly RevisionObject[]> {
  const labelSelector = `${functionLabel}=${metadata.name}`;
  const { items } = await revisions.list({ namespace, labelSelector, signal });
  return items.filter(({ metadata: { ownerReferences = [] } }) =>
    ownerReferences.some(({ uid }) => uid === metadata.uid),
  );
}

/** The Runtimes that there are; none where they are unknown or may not be read. */
export function tryListRuntimes(
  { runtimes }: Pick<Connection, 'runtimes'>,
  { signal }: CliContext,
): Promise<readonly RuntimeObject[]> {
  return tryList(() => runtimes.list({ signal }));
}

/** The Triggers of a Function; none where they are unknown or may not be read. */
export async function tryListTriggers(
  { triggers, namespace }: Pick<Connection, 'triggers' | 'namespace'>,
  name: string,
  { signal }: CliContext,
): Promise<readonly TriggerObject[]> {
  const found = await tryList(() => triggers.list({ namespace, signal }));
  return found.filter(({ spec }) => spec.target.function === name);
}

async function tryList<T>(list: () => Promise<{ readonly items: readonly T[] }>) {
  try {
    return (await list()).items;
  } catch (error) {
    if (hasCode(error, 'Forbidden') || hasCode(error, 'NotFound')) return [];
    throw error;
  }
}
