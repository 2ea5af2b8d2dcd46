import { isJsonObject, type JsonObject } from '@fnlet/base';
import { type KubeObject, parseApiVersion } from '@fnlet/machinery';

/**
 * Whether what waits for this object may go on. The rules are those of `kubectl rollout status`
 * and of sigs.k8s.io/cli-utils (kstatus): a status that is about an older generation says nothing.
 * Kinds without a rule are ready when their condition `Ready` is true, or at once without one.
 *
 * A claim of a volume class that binds with its first consumer gets ready only after a Pod uses it:
 * let nothing wait for it, or give a rule of your own.
 */
export function isReady(object: KubeObject): boolean {
  if (object.metadata.deletionTimestamp !== undefined) return false;
  const status = fieldsIn(object.status);
  const { generation } = object.metadata;
  const observed = status.observedGeneration;
  if (generation !== undefined && typeof observed === 'number' && observed < generation) {
    return false;
  }
  const rule = rules.get(`${parseApiVersion(object.apiVersion).group}/${object.kind}`);
  return (rule ?? isGenericReady)(object, status);
}

type Rule = (object: KubeObject, status: JsonObject) => boolean;

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['apps/Deployment', isDeploymentReady],
  ['apps/StatefulSet', isStatefulSetReady],
  ['apps/DaemonSet', isDaemonSetReady],
  ['batch/Job', (_, status) => isConditionTrue(status, 'Complete')],
  ['/Pod', (_, status) => status.phase === 'Succeeded' || isConditionTrue(status, 'Ready')],
  ['/PersistentVolumeClaim', (_, status) => status.phase === 'Bound'],
  ['/Namespace', (_, status) => status.phase === 'Active'],
  [
    'apiextensions.k8s.io/CustomResourceDefinition',
    (_, status) => isConditionTrue(status, 'Established'),
  ],
]);

function isDeploymentReady({ spec }: KubeObject, status: JsonObject): boolean {
  const wanted = countIn(fieldsIn(spec), 'replicas', 1);
  const updated = countIn(status, 'updatedReplicas');
  return (
    isObserved(status) &&
    updated >= wanted &&
    countIn(status, 'replicas') <= updated &&
    countIn(status, 'availableReplicas') >= wanted
  );
}

function isStatefulSetReady({ spec }: KubeObject, status: JsonObject): boolean {
  const wanted = countIn(fieldsIn(spec), 'replicas', 1);
  const strategy = fieldsIn(fieldsIn(spec).updateStrategy);
  const partition = countIn(fieldsIn(strategy.rollingUpdate), 'partition');
  if (!isObserved(status) || countIn(status, 'readyReplicas') < wanted) return false;
  // Pods of an OnDelete set are replaced when somebody deletes them: nothing to wait for.
  if (strategy.type === 'OnDelete') return true;
  if (partition > 0) return countIn(status, 'updatedReplicas') >= wanted - partition;
  return status.currentRevision === status.updateRevision;
}

function isDaemonSetReady(_: KubeObject, status: JsonObject): boolean {
  const wanted = countIn(status, 'desiredNumberScheduled');
  return (
    isObserved(status) &&
    countIn(status, 'updatedNumberScheduled') >= wanted &&
    countIn(status, 'numberAvailable') >= wanted
  );
}

function isGenericReady(object: KubeObject, status: JsonObject): boolean {
  const ready = conditionOf(status, 'Ready');
  if (ready === undefined) return true;
  const { generation = 0 } = object.metadata;
  const about = ready.observedGeneration;
  return ready.status === 'True' && !(typeof about === 'number' && about < generation);
}

function isObserved(status: JsonObject): boolean {
  return typeof status.observedGeneration === 'number';
}

function isConditionTrue(status: JsonObject, type: string): boolean {
  return conditionOf(status, type)?.status === 'True';
}

function conditionOf({ conditions }: JsonObject, type: string): JsonObject | undefined {
  if (!Array.isArray(conditions)) return undefined;
  return conditions.filter(isJsonObject).find((condition) => condition.type === type);
}

function countIn(fields: JsonObject, name: string, absent = 0): number {
  const count = fields[name];
  return typeof count === 'number' ? count : absent;
}

function fieldsIn(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
