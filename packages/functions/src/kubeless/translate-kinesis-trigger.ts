import type { TriggerSpec } from '@fnlet/api';
import { type KinesisTriggerObject, parseKinesisTrigger } from '@fnlet/api/kubeless';
import { errorMessage } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import {
  kubelessDelivery,
  type TriggerTranslation,
  translateToTriggers,
} from './trigger-translation.ts';

/** The Trigger that does what a KinesisTrigger does, or why there is none. It never throws. */
export function translateKinesisTrigger(object: KubeObject): TriggerTranslation {
  let trigger: KinesisTriggerObject;
  try {
    trigger = parseKinesisTrigger(object);
  } catch (error) {
    return { kind: 'refused', reasons: [errorMessage(error)] };
  }
  const { metadata, spec } = trigger;
  const { stream, shard, secret, endpoint = '' } = spec;
  const kinesis = {
    ...{ stream, region: spec['aws-region'], secret, from: 'newest' },
    ...(endpoint === '' ? {} : { endpoint }),
  };
  const plan: TriggerSpec = {
    source: { kinesis },
    ...(shard === '*' ? {} : { filters: [onlyOf(shard)] }),
    target: { function: spec['function-name'] },
    delivery: kubelessDelivery,
  };
  const notices =
    shard === '*' ? [] : [`Only shard ${shard} is read: with shard "*" all are, through splits`];
  return translateToTriggers(metadata, [{ name: `${metadata.name}.kinesis`, spec: plan }], notices);
}

/**
 * People had a KinesisTrigger for each shard: were all read by each, every record would come as
 * often. Records that are CloudEvents do not say their shard, and had better come twice than never.
 */
function onlyOf(shard: string): NonNullable<TriggerSpec['filters']>[number] {
  const isRecord = { exact: { type: 'dev.fnlet.kinesis.record' } };
  return { any: [{ exact: { subject: shard } }, { not: isRecord }] };
}
