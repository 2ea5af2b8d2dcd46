import { type FunctionObject, functionConditions, functionReasons } from '@fnlet/api';
import {
  type KymaFunctionObject,
  type KymaReason,
  kymaConditions,
  kymaReasons,
} from '@fnlet/api/kyma';
import { type ConditionUpdate, findCondition, type KubeObject } from '@fnlet/machinery';
import type { StatusUpdate } from '@fnlet/reconcile';
import { compatibleLabels } from '../compatible-labels.ts';
import type { Standing } from '../foreign-objects.ts';
import { runtimeWarning } from './plan-kyma-notices.ts';
import type { KymaTranslation } from './translate-kyma.ts';

/** The Function of Fnlet that runs a Kyma Function, as far as its status depends on it. */
export type KymaChild = KubeObject & Pick<FunctionObject, 'status'>;

/** Where a Kyma Function stands. */
type KymaStanding = Standing<KymaFunctionObject, KymaChild, KymaTranslation>;

/**
 * What the status says, in Kyma's words. Where Kyma keeps silent for ever, about code that does not
 * load or packages that cannot be installed, Running is False and says why.
 */
export function planKymaStatus(standing: KymaStanding): StatusUpdate {
  const { owner, translation } = standing;
  const [child] = standing.children;
  const running = describeRunning(standing);
  return {
    fields: {
      runtime: owner.spec.runtime,
      replicas: child?.status?.replicas ?? 0,
      podSelector: child === undefined ? null : selectorOf(child),
      ...(translation.kind === 'translated'
        ? { functionResourceProfile: translation.profile }
        : {}),
      ...planRepository(owner, child),
    },
    conditions: [
      { type: kymaConditions.configurationReady, ...describeConfiguration(standing) },
      ...(running === undefined ? [] : [{ type: kymaConditions.running, ...running }]),
    ],
  };
}

type Statement = Pick<ConditionUpdate, 'status'> & {
  readonly reason: KymaReason;
  readonly message: string;
};

function describeConfiguration({ owner, translation, children }: KymaStanding): Statement {
  const [child] = children;
  if (translation.kind === 'refused') {
    return no(kymaReasons.invalidFunctionSpec, translation.reasons.join('. '));
  }
  const { runtime, runtimeImageOverride = '', source } = owner.spec;
  const failure = currentCondition(child, functionConditions.source);
  if (source.gitRepository !== undefined && failure?.status === 'False') {
    const isAboutGit = failure.reason !== functionReasons.environmentNotFound;
    const text = `Git repository: ${source.gitRepository.url} source check failed`;
    if (isAboutGit) return no(kymaReasons.sourceUpdateFailed, `${text}: ${failure.message}`);
  }
  const image = `Warning: function configured, image ${runtimeImageOverride} is not run here`;
  const warning =
    runtimeWarning(runtime) ??
    (runtimeImageOverride === '' ? undefined : `${image}, runtime ${runtime} is`);
  return {
    status: 'True',
    reason: kymaReasons.functionSpecValidated,
    message: warning ?? 'Function configured',
  };
}

/** `undefined`: what was said before still holds. */
function describeRunning({
  translation,
  children,
  obstacle,
  owner,
}: KymaStanding): Statement | undefined {
  const [child] = children;
  const { name } = owner.metadata;
  if (obstacle !== undefined) return no(kymaReasons.deploymentFailed, obstacle);
  if (translation.kind === 'refused') return undefined;
  if (child === undefined) {
    return unknown(kymaReasons.deploymentCreated, `Function ${name} created`);
  }
  const ready = currentCondition(child, functionConditions.ready);
  if (ready === undefined || ready.status === 'Unknown') {
    const message = ready?.message ?? `Function ${name} is not ready yet`;
    return unknown(kymaReasons.deploymentWaiting, message);
  }
  if (ready.status === 'False') {
    return no(kymaReasons.deploymentFailed, `${ready.reason}: ${ready.message}`);
  }
  const { replicas = 0 } = child.status ?? {};
  if (replicas === 0 && translation.function.spec.scale.min > 0) {
    const message = `Minimum replicas not available for function ${name}`;
    return unknown(kymaReasons.minReplicasNotAvailable, message);
  }
  const message = `Function ${name} is ready`;
  return { status: 'True', reason: kymaReasons.deploymentReady, message };
}

/** A condition of the Function, if it is about what it asks for now. */
function currentCondition(
  child: KymaChild | undefined,
  type: string,
): ReturnType<typeof findCondition> {
  const found = findCondition(child?.status?.conditions ?? [], type);
  return found?.observedGeneration === child?.metadata.generation ? found : undefined;
}

/** The labels of the Pods, as a selector is written. */
function selectorOf({ metadata: { name, uid = '' } }: KymaChild): string {
  return Object.entries(compatibleLabels({ name, uid }, 'kyma'))
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',');
}

function planRepository(
  { spec }: KymaFunctionObject,
  child: KymaChild | undefined,
): NonNullable<StatusUpdate['fields']> {
  const { gitRepository } = spec.source;
  if (gitRepository === undefined) {
    return { gitRepository: null, commit: null, baseDir: null, reference: null };
  }
  const { url, baseDir = '', reference = '' } = gitRepository;
  const commit = child?.status?.source?.commit ?? null;
  // The top-level ones are what older clients read.
  return { gitRepository: { url, baseDir, reference, commit }, commit, baseDir, reference };
}

function no(reason: KymaReason, message: string): Statement {
  return { status: 'False', reason, message };
}

function unknown(reason: KymaReason, message: string): Statement {
  return { status: 'Unknown', reason, message };
}
