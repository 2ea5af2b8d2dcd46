/** Where an installation keeps events, as its Deployment says. */
import { isJsonObject } from '@fnlet/base';
import type { Finding } from './finding.ts';

export type EventsPlace = 'nats' | 'volume' | 'pod';

/** @param deployment of the controller; `undefined`: nothing is installed */
export function findEventsPlace(deployment: unknown): EventsPlace | undefined {
  if (!isJsonObject(deployment)) return undefined;
  const pod = member(member(member(deployment, 'spec'), 'template'), 'spec');
  const [container] = list(member(pod, 'containers'));
  const names = list(member(container, 'env')).map((each) => member(each, 'name'));
  if (names.includes('FNLET_EVENTS_LOG')) return 'nats';
  const isKept = list(member(pod, 'volumes')).some(
    (volume) =>
      member(volume, 'name') === 'artifacts' &&
      member(volume, 'persistentVolumeClaim') !== undefined,
  );
  return isKept ? 'volume' : 'pod';
}

/** What `fnlet doctor` says about it. */
export function judgeEventsPlace(place: EventsPlace | undefined): readonly Finding[] {
  const check = 'events';
  switch (place) {
    case undefined:
      return [];
    case 'nats':
      return [{ check, state: 'ok', found: 'kept by NATS' }];
    case 'volume':
      return [{ check, state: 'ok', found: 'kept in the volume of the controller' }];
    case 'pod':
      return [
        {
          check,
          state: 'warn',
          found: 'kept in the Pod of the controller, and lost with it; no calls for later',
          remedy: 'Name NATS in events.log, or set artifacts.persistent: docs/cluster.md',
        },
      ];
  }
}

function member(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
