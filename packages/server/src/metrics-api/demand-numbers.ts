import { functionType, triggerType } from '@fnlet/api';
import type { Client } from '@fnlet/client';
import type { Eventing } from '@fnlet/eventing';
import type { Functions } from '@fnlet/functions';
import type { ObjectKey } from '@fnlet/machinery';
import type { MeasuredKind } from './measured-metric.ts';

/** What is measured of one object now. */
export interface Numbers {
  /** By the names of metrics; one that is not known is not there. */
  readonly values: ReadonlyMap<string, number>;
  /** How long averages reach back. */
  readonly windowSeconds: number | undefined;
}

/** Where the numbers come from. */
export interface NumberSource {
  /** The numbers of an object; `undefined`: there is no such object. */
  read(kind: MeasuredKind, key: ObjectKey): Numbers | undefined;
  /** Names of the objects of a kind in a namespace that a selector of labels takes. */
  select(
    kind: MeasuredKind,
    where: { readonly namespace: string; readonly labelSelector: string },
    signal: AbortSignal,
  ): Promise<readonly string[]>;
}

export interface NumberSourceParts {
  readonly client: Client;
  readonly functions: Pick<Functions, 'loadOf'>;
  /** Events and calls for later that wait for a Function; `undefined`: that is not known. */
  readonly lagOf: (key: ObjectKey) => number | undefined;
  readonly lagOfTrigger: Eventing['lagOfTrigger'];
}

const types = { Function: functionType, Trigger: triggerType };

/** The numbers of a Fnlet that runs here. Nothing is measured for it: it is read when asked for. */
export function createNumberSource(parts: NumberSourceParts): NumberSource {
  return {
    read: (kind, key) => (kind === 'Function' ? readFunction(parts, key) : readTrigger(parts, key)),
    async select(kind, { namespace, labelSelector }, signal) {
      const { items } = await parts.client.of(types[kind]).list({
        ...{ namespace, metadataOnly: true, signal },
        ...(labelSelector === '' ? {} : { labelSelector }),
        // As new as the caches of controllers are: it costs the API no read of its store.
        resourceVersion: '0',
      });
      return items.map(({ metadata }) => metadata.name);
    },
  };
}

function readFunction(
  { functions, lagOf }: NumberSourceParts,
  key: ObjectKey,
): Numbers | undefined {
  const load = functions.loadOf(key);
  if (load === undefined) return undefined;
  const values = new Map([
    ['fnlet_function_concurrency', load.concurrency],
    ['fnlet_function_requests_per_second', load.requestsPerSecond],
    ['fnlet_function_queue_depth', load.queued],
    ['fnlet_function_queue_seconds', load.queueSeconds],
  ]);
  const lag = lagOf(key);
  if (lag !== undefined) values.set('fnlet_function_lag_events', lag);
  return { values, windowSeconds: load.windowSeconds };
}

function readTrigger({ lagOfTrigger }: NumberSourceParts, key: ObjectKey): Numbers | undefined {
  const lag = lagOfTrigger(key);
  if (lag === undefined) return undefined;
  const values =
    lag.events === undefined ? [] : [['fnlet_trigger_lag_events', lag.events] as const];
  return { values: new Map(values), windowSeconds: undefined };
}
