import { functionType } from '@fnlet/api';
import {
  type KubelessFunctionObject,
  kubelessFunctionType,
  parseKubelessFunction,
} from '@fnlet/api/kubeless';
import type { ForeignKind } from '../foreign-objects.ts';
import { type KubelessChild, planKubelessStatus } from './plan-kubeless-status.ts';
import { planReadyHappenings } from './plan-ready-happenings.ts';
import { type KubelessTranslation, translateKubeless } from './translate-kubeless.ts';

/** Functions of Kubeless, each brought to life by a Function of Fnlet. */
export const kubelessFunctions: ForeignKind<
  KubelessFunctionObject,
  KubelessChild,
  KubelessTranslation
> = {
  name: 'fnlet-kubeless',
  type: kubelessFunctionType,
  childType: functionType,
  finalizer: 'kubeless.io/function',
  parse: parseKubelessFunction,
  translate: translateKubeless,
  wanted: (translation) => (translation.kind === 'translated' ? [translation.function] : undefined),
  planStatus: planKubelessStatus,
  planHappenings: planReadyHappenings,
};
