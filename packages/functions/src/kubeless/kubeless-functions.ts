/**
 * Functions of Kubeless brought to life: each is run by a Function of Fnlet with the same name,
 * which belongs to it, and shows in its status what becomes of that one.
 *
 * I1. A Function of that name that is somebody else's is left alone, and the status says so.
 * I2. What cannot be translated leaves the Function that runs as it is.
 * I3. Same wish, same world: no write.
 * I4. The finalizer of Kubeless's own controller, which is no more, keeps no object from going.
 */
import { type FunctionObject, functionType } from '@fnlet/api';
import {
  type KubelessFunctionObject,
  kubelessFunctionType,
  parseKubelessFunction,
} from '@fnlet/api/kubeless';
import { type Clock, errorMessage } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';
import {
  createFinalizer,
  createStatusWriter,
  type Finalizer,
  type KindContext,
  type Manager,
  ReconcileError,
  type StatusWriter,
} from '@fnlet/reconcile';
import { type Kind, type ObjectShape, resourceVersionChanged } from '@fnlet/sdk/operator';
import { kindOf } from '../kind-of.ts';
import { limits } from '../limits.ts';
import { isOwnedBy } from '../plan-revision.ts';
import {
  type KubelessStanding,
  planKubelessHappenings,
  planKubelessStatus,
} from './plan-kubeless-status.ts';
import { translateKubeless } from './translate-kubeless.ts';

/** What Kubeless's controller puts on its functions. */
const kubelessFinalizer = 'kubeless.io/function';

const kubelessKind: Kind = kindOf(kubelessFunctionType);
const functionKind: Kind<ObjectShape & Pick<FunctionObject, 'status'>> = kindOf(functionType);

/** Lets a manager run functions of Kubeless. */
export function addKubelessFunctions(manager: Manager, clock: Clock): void {
  const client = manager.client.of<KubelessFunctionObject>(kubelessFunctionType);
  const status = createStatusWriter({ client, clock });
  const finalizer = createFinalizer({ client, name: kubelessFinalizer });
  manager.controller({
    name: 'fnlet-kubeless',
    // Sources weigh up to a megabyte: whoever needs one asks for it.
    for: kubelessKind.keep('status.observedGeneration'),
    owns: [functionKind.keep('status')],
    // Somebody else's of the same name may go.
    watches: [functionKind.keep('status').mapTo(namesakeOf)],
    // Labels and annotations count as well, and what others write into the status is put right.
    when: resourceVersionChanged,
    concurrency: limits.workers,
    async reconcile(key, context) {
      await reconcileKubeless({ key, context, status, finalizer });
      return undefined;
    },
  });
}

interface KubelessRun {
  readonly key: ObjectKey;
  readonly context: KindContext;
  readonly status: StatusWriter<KubelessFunctionObject>;
  readonly finalizer: Finalizer<KubelessFunctionObject>;
}

/** Makes the Function of Fnlet what the function of Kubeless of this key asks for. */
async function reconcileKubeless(run: KubelessRun): Promise<void> {
  const { key, context, finalizer } = run;
  const { client, cache, signal } = context;
  if (cache(kubelessKind).get(key) === undefined) return;
  const kubeless = client.of<KubelessFunctionObject>(kubelessFunctionType);
  const found = await kubeless.tryGet(key, { signal });
  if (found === undefined) return;
  if (found.metadata.deletionTimestamp !== undefined) {
    // I4; what it owns goes by its owner references.
    if (found.metadata.finalizers?.includes(kubelessFinalizer)) {
      await finalizer.remove(found, signal);
    }
    return;
  }
  const owner = readKubeless(found);
  const translation = translateKubeless(found);
  const functions = cache(functionKind);
  const namesake = functions.get(key);
  if (namesake !== undefined && !isOwnedBy(namesake, owner)) {
    await tell(run, owner, { translation, child: undefined, obstacle: nameTaken(key) });
    return;
  }
  try {
    if (translation.kind === 'translated') {
      await client.apply(functionKind.of(translation.function), { owner });
    }
  } catch (error) {
    const obstacle = errorMessage(error);
    await tell(run, owner, { translation, child: functions.get(key), obstacle });
    throw error;
  }
  await tell(run, owner, { translation, child: functions.get(key), obstacle: undefined });
}

/** Those that a function of Kubeless has are its own news. */
function namesakeOf(object: ObjectShape): ObjectKey | undefined {
  const { ownerReferences = [] } = object.metadata;
  const isControlled = ownerReferences.some(({ controller }) => controller === true);
  const { name, namespace = '' } = object.metadata;
  return isControlled ? undefined : { name, namespace };
}

function readKubeless(found: unknown): KubelessFunctionObject {
  try {
    return parseKubelessFunction(found);
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
async function tell(
  { context, status }: KubelessRun,
  owner: KubelessFunctionObject,
  standing: KubelessStanding,
): Promise<void> {
  const written = await status.write(owner, planKubelessStatus(standing), context.signal);
  if (written === undefined) return;
  for (const happening of planKubelessHappenings(owner.status, written.status)) {
    context.events.record(owner, happening);
  }
}
