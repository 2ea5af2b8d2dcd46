/**
 * Kyma Functions brought to life: each is run by a Function of Fnlet with the same name, which
 * belongs to it, and shows in its status what becomes of that one.
 *
 * I1. A Function of that name that is somebody else's is left alone, and the status says so.
 * I2. What Kyma would refuse leaves the Function that runs as it is.
 * I3. Same wish, same world: no write.
 */
import { type FunctionObject, functionType } from '@fnlet/api';
import { type KymaFunctionObject, kymaFunctionType, parseKymaFunction } from '@fnlet/api/kyma';
import { type Clock, errorMessage, type Logger, type Random } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { ObjectKey } from '@fnlet/machinery';
import {
  createManager,
  createStatusWriter,
  type KindContext,
  ReconcileError,
  type StatusWriter,
} from '@fnlet/reconcile';
import { type Kind, type ObjectShape, resourceVersionChanged } from '@fnlet/sdk/operator';
import { kindOf } from '../kind-of.ts';
import { limits } from '../limits.ts';
import { isOwnedBy } from '../plan-revision.ts';
import { planKymaHappenings } from './plan-kyma-happenings.ts';
import { type KymaStanding, planKymaStatus } from './plan-kyma-status.ts';
import { translateKyma } from './translate-kyma.ts';

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

const kymaKind: Kind = kindOf(kymaFunctionType);
const functionKind: Kind<ObjectShape & Pick<FunctionObject, 'status'>> = kindOf(functionType);

/**
 * @example
 * const kyma = createKymaFunctions({ client, clock, random, logger });
 * await kyma.run(signal);
 */
export function createKymaFunctions(options: KymaFunctionsOptions): KymaFunctions {
  const manager = createManager(options);
  const client = manager.client.of<KymaFunctionObject>(kymaFunctionType);
  const status = createStatusWriter({ client, clock: options.clock });
  manager.controller({
    name: 'fnlet-kyma',
    // Sources weigh up to a megabyte: whoever needs one asks for it.
    for: kymaKind.keep('status.observedGeneration'),
    owns: [functionKind.keep('status')],
    // Somebody else's of the same name may go.
    watches: [functionKind.keep('status').mapTo(namesakeOf)],
    // Labels and annotations count as well, and what others write into the status is put right.
    when: resourceVersionChanged,
    concurrency: limits.workers,
    async reconcile(key, context) {
      await reconcileKyma({ key, context, status });
      return undefined;
    },
  });
  return { run: (signal) => manager.run(signal) };
}

interface KymaRun {
  readonly key: ObjectKey;
  readonly context: KindContext;
  readonly status: StatusWriter<KymaFunctionObject>;
}

/** Makes the Function of Fnlet what the Kyma Function of this key asks for. */
async function reconcileKyma(run: KymaRun): Promise<void> {
  const { key, context } = run;
  const { client, cache, signal } = context;
  if (cache(kymaKind).get(key) === undefined) return;
  const found = await client.of<KymaFunctionObject>(kymaFunctionType).tryGet(key, { signal });
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
  const owner = parseOwner(found);
  const translation = translateKyma(found);
  const functions = cache(functionKind);
  const namesake = functions.get(key);
  if (namesake !== undefined && !isOwnedBy(namesake, owner)) {
    await tell(run, { owner, translation, child: undefined, obstacle: nameTaken(key) });
    return;
  }
  try {
    if (translation.kind === 'translated') {
      await client.apply(functionKind.of(translation.function), { owner });
    }
  } catch (error) {
    const obstacle = errorMessage(error);
    await tell(run, { owner, translation, child: functions.get(key), obstacle });
    throw error;
  }
  await tell(run, { owner, translation, child: functions.get(key), obstacle: undefined });
}

/** Those that a Kyma Function has are its own news. */
function namesakeOf(object: ObjectShape): ObjectKey | undefined {
  const { ownerReferences = [] } = object.metadata;
  const isControlled = ownerReferences.some(({ controller }) => controller === true);
  const { name, namespace = '' } = object.metadata;
  return isControlled ? undefined : { name, namespace };
}

function parseOwner(found: unknown): KymaFunctionObject {
  try {
    return parseKymaFunction(found);
  } catch (cause) {
    // It did not pass its schema: only another write can help.
    throw new ReconcileError('Terminal', errorMessage(cause), { cause });
  }
}

function nameTaken({ name }: ObjectKey): string {
  return (
    `Function "${name}" of fnlet.dev exists and belongs to somebody else: it is left as it is. ` +
    'Delete it, or give this one another name'
  );
}

/** Says it in the status, and what is new in it as Events. */
async function tell({ context, status }: KymaRun, standing: KymaStanding): Promise<void> {
  const { owner } = standing;
  const written = await status.write(owner, planKymaStatus(standing), context.signal);
  if (written === undefined) return;
  for (const happening of planKymaHappenings(owner.status, written.status)) {
    context.events.record(owner, happening);
  }
}
