/**
 * The Runtime kind brought to life: what somebody adds can be asked for, and the status of each
 * Runtime says what the machine has of it.
 *
 * I1. What the cache shows of added Runtimes is what can be asked for, from the same tick on.
 * I2. Each runtime that comes with Fnlet has its object, which is there to be looked at.
 * I3. Nobody looks at the machine again while nothing happens: it is looked at when an object
 *     changes, and when a runtime that was not there has been brought.
 */
import {
  apiVersion,
  builtinRuntimes,
  knownRuntime,
  type RuntimeObject,
  type RuntimeResolution,
  resolveRuntime,
  runtimeType,
} from '@fnlet/api';
import { type Clock, hasCode, type Logger } from '@fnlet/base';
import type { Cache, CacheEvent, Client } from '@fnlet/client';
import type { RuntimeCommand, Runtimes, WorkCaller } from '@fnlet/executor';
import type { ObjectKey } from '@fnlet/machinery';
import {
  type Controller,
  createController,
  createStatusWriter,
  fromCache,
  type Source,
  type StatusWriter,
} from '@fnlet/reconcile';
import { planRuntimeStatus } from './plan-runtime-status.ts';

export interface RuntimeKeeperOptions {
  readonly client: Client;
  readonly cache: Cache<RuntimeObject>;
  readonly runtimes: Pick<Runtimes, 'look' | 'prepare' | 'add' | 'remove'>;
  /** From now on this runtime is started in another way, or not at all. */
  readonly onChanged: (name: string) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

const builtinNames: ReadonlySet<string> = new Set(builtinRuntimes.map(({ name }) => name));

/** Whether somebody added this Runtime, as opposed to those that come with Fnlet. */
export function isAdded({ metadata }: RuntimeObject): boolean {
  return !builtinNames.has(metadata.name);
}

export class RuntimeKeeper {
  readonly controller: Controller;
  readonly #options: RuntimeKeeperOptions;
  readonly #status: StatusWriter<RuntimeObject>;

  constructor(options: RuntimeKeeperOptions) {
    const { client, cache, clock, logger } = options;
    this.#options = options;
    this.#status = createStatusWriter({ client: client.of<RuntimeObject>(runtimeType), clock });
    cache.subscribe((event) => this.#onEvent(event));
    this.controller = createController({
      name: 'runtimes',
      sources: [builtinSource(cache), fromCache(cache)],
      reconcile: async (key, { signal }) => this.#reconcile(key, signal),
      concurrency: 1,
      clock,
      logger,
    });
  }

  /** Which runtime a Function means by the name that it gives. */
  resolve(asked: string): RuntimeResolution {
    const { cache, runtimes } = this.#options;
    const added = cache.list().filter(isAdded).map(knownRuntime);
    const isHere = (name: string): boolean => {
      const state = runtimes.look(name)?.state;
      return state === 'own' || state === 'found';
    };
    return resolveRuntime(asked, { added, isHere });
  }

  /** Makes a runtime startable; see `Runtimes`. */
  async prepare(name: string, caller: WorkCaller): Promise<RuntimeCommand> {
    const { cache, runtimes } = this.#options;
    const command = await runtimes.prepare(name, caller);
    const state = cache.get(keyOf(name))?.status?.state;
    const isNews = state === 'absent' || state === 'fetchable';
    if (isNews) this.controller.enqueue(keyOf(name));
    return command;
  }

  #onEvent(event: CacheEvent<RuntimeObject>): void {
    const { runtimes, onChanged } = this.#options;
    const { metadata, spec } = event.object;
    const { name, generation } = metadata;
    if (!isAdded(event.object)) return;
    if (event.kind === 'updated' && event.old.metadata.generation === generation) return;
    if (event.kind === 'deleted') runtimes.remove(name);
    else runtimes.add({ name, command: spec.command ?? [], files: spec.files, env: spec.env });
    if (event.kind !== 'added') onChanged(name);
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<undefined> {
    const { client, cache, runtimes } = this.#options;
    const object = cache.get(key);
    if (object === undefined) {
      if (builtinNames.has(key.name)) await createBuiltin(client, key.name, signal);
      return;
    }
    const look = runtimes.look(key.name);
    if (look !== undefined) await this.#status.write(object, planRuntimeStatus(look), signal);
  }
}

/** Names those that come with Fnlet once it is known which of them have objects. */
function builtinSource({ synced }: Cache<RuntimeObject>): Source {
  return {
    synced,
    start(enqueue) {
      for (const name of builtinNames) enqueue(keyOf(name));
      return () => {};
    },
  };
}

async function createBuiltin(client: Client, name: string, signal: AbortSignal): Promise<void> {
  const object = { apiVersion, kind: 'Runtime', metadata: { name }, spec: {} };
  try {
    await client.of<RuntimeObject>(runtimeType).create(object, { signal });
  } catch (error) {
    // The cache is only not there yet.
    if (!hasCode(error, 'AlreadyExists')) throw error;
  }
}

function keyOf(name: string): ObjectKey {
  return { namespace: '', name };
}
