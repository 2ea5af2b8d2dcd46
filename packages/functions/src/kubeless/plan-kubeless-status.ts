import { type FunctionObject, functionConditions } from '@fnlet/api';
import type { KubelessFunctionObject } from '@fnlet/api/kubeless';
import { type ConditionUpdate, findCondition, type KubeObject } from '@fnlet/machinery';
import type { StatusUpdate } from '@fnlet/reconcile';
import type { Standing } from '../foreign-objects.ts';
import type { KubelessTranslation } from './translate-kubeless.ts';

/** The Function of Fnlet that runs one of Kubeless, as far as its status depends on it. */
export type KubelessChild = KubeObject & Pick<FunctionObject, 'status'>;

/** Where a function of Kubeless stands. */
type KubelessStanding = Standing<KubelessFunctionObject, KubelessChild, KubelessTranslation>;

/** The one condition of a function of Kubeless, which itself told nothing. */
const ready = 'Ready';

/** What the status says: what becomes of the Function that runs it, or why there is none. */
export function planKubelessStatus(standing: KubelessStanding): StatusUpdate {
  const [child] = standing.children;
  return {
    fields: { replicas: child?.status?.replicas ?? 0, url: child?.status?.url ?? null },
    conditions: [{ type: ready, ...describeReady(standing) }],
  };
}

type Statement = Pick<ConditionUpdate, 'status' | 'reason'> & { readonly message: string };

function describeReady({ translation, children, obstacle }: KubelessStanding): Statement {
  const [child] = children;
  if (obstacle !== undefined) return { status: 'False', reason: 'NameTaken', message: obstacle };
  if (translation.kind === 'refused') {
    return { status: 'False', reason: 'InvalidSpec', message: translation.reasons.join('; ') };
  }
  const { generation } = child?.metadata ?? {};
  const found = findCondition(child?.status?.conditions, functionConditions.ready);
  if (found === undefined || found.observedGeneration !== generation) {
    return { status: 'Unknown', reason: 'Deploying', message: 'The Function is being made ready' };
  }
  const { notices } = translation;
  const { status, reason = '', message = '' } = found;
  const isNews = status === 'True' && notices.length > 0;
  return { status, reason, message: isNews ? `${message}. ${notices.join('; ')}` : message };
}
