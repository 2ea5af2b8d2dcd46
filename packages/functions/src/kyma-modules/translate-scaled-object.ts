import { type FunctionSpec, functionCrd } from '@fnlet/api';
import {
  parseScaledObject,
  type ScaledObjectObject,
  type ScaledObjectTrigger,
} from '@fnlet/api/kyma-modules';
import { errorMessage, isJsonObject } from '@fnlet/base';
import { type KubeObject, parseApiVersion } from '@fnlet/machinery';
import { compileSchema } from '@fnlet/schema';
import { describeErrors } from '../describe-errors.ts';
import { Judgement, objectOf } from './judgement.ts';

type Scale = FunctionSpec['scale'];
type Metric = NonNullable<Scale['metrics']>[number];
type Times = NonNullable<Scale['schedule']>[number];

/** What a ScaledObject of KEDA is in Fnlet. */
export type ScaledObjectTranslation =
  | {
      readonly kind: 'translated';
      /** How the Function of this name scales, in the same namespace. */
      readonly target: string;
      readonly scale: Scale;
      /** What of it has no counterpart, or works otherwise here. */
      readonly notices: readonly string[];
    }
  /** There can be none: why not, for people. */
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

const { properties } = functionCrd.spec.versions[0]?.schema?.openAPIV3Schema ?? {};
const schema = compileSchema({
  type: 'object',
  properties: { scale: properties?.spec?.properties?.scale ?? {} },
});

/**
 * How the Function of a ScaledObject scales, or why it does not. It never throws: whatever the
 * definition of the kind lets pass is translated or refused with a reason.
 */
export function translateScaledObject(object: KubeObject): ScaledObjectTranslation {
  const read = readScaledObject(object);
  if (typeof read === 'string') return { kind: 'refused', reasons: [read] };
  const judgement = new Judgement();
  checkTarget(read, judgement);
  const scale = planScale(read, judgement);
  for (const error of describeErrors(schema.validate({ scale }))) judgement.refuse(error);
  const { reasons, notices } = judgement;
  if (reasons.length > 0) return { kind: 'refused', reasons };
  return { kind: 'translated', target: read.spec.scaleTargetRef.name, scale, notices };
}

function readScaledObject(object: KubeObject): ScaledObjectObject | string {
  try {
    return parseScaledObject(object);
  } catch (error) {
    return errorMessage(error);
  }
}

function checkTarget({ spec: { scaleTargetRef } }: ScaledObjectObject, judgement: Judgement): void {
  const { apiVersion = 'apps/v1', kind = 'Deployment' } = scaleTargetRef;
  const { group } = parseApiVersion(apiVersion);
  if (kind === 'Function' && group === 'serverless.kyma-project.io') return;
  judgement.refuse(
    `spec.scaleTargetRef: found ${apiVersion} ${kind}, expected a Function of Kyma: others are ` +
      'scaled by a HorizontalPodAutoscaler, those of Fnlet by their own spec.scale',
  );
}

const pausedReplicas = 'autoscaling.keda.sh/paused-replicas';

function planScale({ metadata, spec }: ScaledObjectObject, judgement: Judgement): Scale {
  const { minReplicaCount: min = 0, maxReplicaCount: max = 100, cooldownPeriod = 300 } = spec;
  const paused = Number(metadata.annotations?.[pausedReplicas] ?? Number.NaN);
  const bounds = Number.isInteger(paused)
    ? { min: paused, max: Math.max(1, paused) }
    : { min, max };
  const metrics: Metric[] = [];
  const schedule: Times[] = [];
  for (const trigger of spec.triggers) {
    const planned = planTrigger(trigger, judgement);
    if (planned === undefined) continue;
    if ('start' in planned) schedule.push(planned);
    else metrics.push(planned);
  }
  if (metrics.length === 0 && schedule.length === 0) {
    judgement.refuse('spec.triggers: found none by which anything scales here');
  }
  const behavior = objectOf(objectOf(spec.advanced).horizontalPodAutoscalerConfig).behavior;
  const ignored = ['fallback', 'idleReplicaCount', 'initialCooldownPeriod', 'pollingInterval'];
  for (const key of ignored.filter((name) => Object.hasOwn(spec, name))) {
    judgement.notice(`${key}: has no effect`);
  }
  return {
    ...bounds,
    ...{ target: 50, limit: 0, idleAfter: cooldownPeriod === 0 ? '1s' : `${cooldownPeriod}s` },
    ...(metrics.length === 0 ? {} : { metrics }),
    ...(schedule.length === 0 ? {} : { schedule }),
    ...(isJsonObject(behavior) ? { behavior } : {}),
  };
}

function planTrigger(
  trigger: ScaledObjectTrigger,
  judgement: Judgement,
): Metric | Times | undefined {
  const { type, metadata = {}, metricType } = trigger;
  switch (type) {
    case 'cpu':
    case 'memory': {
      const kind = metricType ?? metadata.type ?? 'Utilization';
      const target = Number(metadata.value);
      if (kind === 'Utilization' && Number.isInteger(target)) {
        return type === 'cpu' ? { cpu: { target } } : { memory: { target } };
      }
      judgement.notice(
        `triggers: ${type} by ${kind} "${metadata.value ?? ''}" is left out: percent are known here`,
      );
      return undefined;
    }
    case 'cron':
      return planTimes(metadata);
    case 'prometheus':
      return planQuery(trigger, judgement);
    default:
      judgement.notice(
        `triggers: ${type} is left out: ${unknownTypes[type] ?? 'its numbers are not known here'}`,
      );
      return undefined;
  }
}

const unknownTypes: Readonly<Record<string, string>> = {
  kafka: 'a Trigger with the source kafka brings the records, and calls scale the Function',
  'nats-jetstream':
    'a Trigger with the source nats brings the messages, and calls scale the Function',
};

function planTimes(metadata: Readonly<Record<string, string>>): Times {
  const { start = '', end = '', timezone, desiredReplicas } = metadata;
  return {
    ...{ start, end, min: Number(desiredReplicas) },
    ...(timezone === undefined ? {} : { timeZone: timezone }),
  };
}

function planQuery(
  { metadata = {}, name, authenticationRef }: ScaledObjectTrigger,
  judgement: Judgement,
): Metric {
  const { serverAddress: url = '', query = '', threshold } = metadata;
  if (authenticationRef !== undefined) {
    judgement.notice('triggers: prometheus is asked without credentials');
  }
  const wanted = Number(threshold);
  const target = Math.max(1, Math.round(wanted));
  if (target !== wanted)
    judgement.notice(`triggers: the threshold ${threshold} counts as ${target}`);
  return { prometheus: { name: metadata.metricName ?? name ?? 'prometheus', url, query, target } };
}
