import type { KinesisTriggerObject } from '@fnlet/api/kubeless';
import type { ObjectKey } from '@fnlet/machinery';

/** What flags name. */
export interface KinesisTriggerFlags {
  readonly stream?: string;
  readonly awsRegion?: string;
  readonly shardId?: string;
  readonly functionName?: string;
  readonly secret?: string;
  readonly endpoint?: string;
}

export type NewKinesisTrigger = KinesisTriggerFlags &
  Required<Omit<KinesisTriggerFlags, 'endpoint'>>;

export function planKinesisTrigger(
  { name, namespace }: ObjectKey,
  flags: NewKinesisTrigger,
): KinesisTriggerObject {
  const { stream, awsRegion, shardId, functionName, secret, endpoint } = flags;
  return {
    apiVersion: 'kubeless.io/v1beta1',
    kind: 'KinesisTrigger',
    metadata: { name, namespace, labels: { 'created-by': 'kubeless' } },
    spec: {
      ...{ 'function-name': functionName, 'aws-region': awsRegion, secret, stream },
      shard: shardId,
      ...(endpoint === undefined ? {} : { endpoint }),
    },
  };
}

/** The same trigger with what flags name; what none names stays as it is. */
export function planKinesisTriggerUpdate(
  { spec, ...before }: KinesisTriggerObject,
  flags: KinesisTriggerFlags,
): KinesisTriggerObject {
  const { name, namespace = '' } = before.metadata;
  const after = planKinesisTrigger(
    { name, namespace },
    {
      stream: flags.stream ?? spec.stream,
      awsRegion: flags.awsRegion ?? spec['aws-region'],
      shardId: flags.shardId ?? spec.shard,
      functionName: flags.functionName ?? spec['function-name'],
      secret: flags.secret ?? spec.secret,
      ...(flags.endpoint === undefined ? {} : { endpoint: flags.endpoint }),
    },
  );
  return { ...before, spec: { ...spec, ...after.spec } };
}
