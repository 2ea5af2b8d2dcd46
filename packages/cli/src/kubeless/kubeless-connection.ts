import {
  type CronJobTriggerObject,
  cronJobTriggerType,
  type HttpTriggerObject,
  httpTriggerType,
  type KubelessFunctionObject,
  kubelessFunctionType,
} from '@fnlet/api/kubeless';
import { type Client, createClient, type ResourceClient } from '@fnlet/client';
import type { CliContext } from '../cli-context.ts';
import { type Connection, connect } from '../connection.ts';

/** Flags of every command that speaks to an API. */
export interface KubelessFlags {
  readonly namespace?: string;
}

export type KubelessFormat = 'json' | 'yaml' | 'wide';

/** The API, with the kinds of Kubeless. */
export interface KubelessConnection extends AsyncDisposable {
  readonly connection: Connection;
  readonly client: Client;
  readonly namespace: string;
  readonly functions: ResourceClient<KubelessFunctionObject>;
  readonly triggers: ResourceClient<CronJobTriggerObject>;
  readonly httpTriggers: ResourceClient<HttpTriggerObject>;
}

/** Connects to the API of the kubeconfig. */
export async function connectKubeless(
  { namespace }: KubelessFlags,
  context: CliContext,
): Promise<KubelessConnection> {
  const connection = await connect(namespace === undefined ? {} : { namespace }, context);
  const client = createClient(connection.transport, { fieldManager: 'kubeless' });
  return {
    connection,
    client,
    namespace: connection.namespace,
    functions: client.of<KubelessFunctionObject>(kubelessFunctionType),
    triggers: client.of<CronJobTriggerObject>(cronJobTriggerType),
    httpTriggers: client.of<HttpTriggerObject>(httpTriggerType),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}
