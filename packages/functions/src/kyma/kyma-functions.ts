/** Kyma Functions brought to life, each by a Function of Fnlet; see foreign-objects.ts. */
import { functionType } from '@fnlet/api';
import { type KymaFunctionObject, kymaFunctionType, parseKymaFunction } from '@fnlet/api/kyma';
import type { Clock, Logger, Random } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { createManager } from '@fnlet/reconcile';
import { addForeignKind, type ForeignKind } from '../foreign-objects.ts';
import { planKymaHappenings } from './plan-kyma-happenings.ts';
import { type KymaChild, planKymaStatus } from './plan-kyma-status.ts';
import { type KymaTranslation, translateKyma } from './translate-kyma.ts';

const kymaFunctions: ForeignKind<KymaFunctionObject, KymaChild, KymaTranslation> = {
  name: 'fnlet-kyma',
  type: kymaFunctionType,
  childType: functionType,
  parse: parseKymaFunction,
  translate: translateKyma,
  wanted: (translation) => (translation.kind === 'translated' ? [translation.function] : undefined),
  planStatus: planKymaStatus,
  planHappenings: (before, after) => planKymaHappenings(before.status, after.status),
};

export interface KymaFunctionsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What runs Kyma Functions. */
export interface KymaFunctions {
  /** Works until `signal` aborts. To be called once. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * @example
 * const kyma = createKymaFunctions({ client, clock, random, logger });
 * await kyma.run(signal);
 */
export function createKymaFunctions(options: KymaFunctionsOptions): KymaFunctions {
  const manager = createManager(options);
  addForeignKind(manager, kymaFunctions, options.clock);
  return { run: (signal) => manager.run(signal) };
}
