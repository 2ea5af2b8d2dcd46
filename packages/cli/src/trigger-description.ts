import { formatTarget, type TriggerObject } from '@fnlet/api';
import { findCondition } from '@fnlet/machinery';
import type { EventObject } from './connection.ts';
import { formatConditions, formatEvents } from './description-tables.ts';

/** Everything that a person wants to know about a Trigger. */
export function formatTriggerDescription({
  trigger: { metadata, spec, status = {} },
  events,
  nowMs,
}: {
  readonly trigger: TriggerObject;
  readonly events: readonly EventObject[];
  readonly nowMs: number;
}): string {
  const { conditions = [], url, nextFireTime, lastEventTime, lastDeliveryTime } = status;
  const { lag = 0, deadLetters = 0, failures = 0, lastFailure } = status;
  const ready = findCondition(conditions, 'Ready');
  const reason = ready?.reason === undefined ? '' : ` (${ready.reason})`;
  const message = ready?.message ? `: ${ready.message}` : '';
  const last = lastFailure === undefined ? '' : `; the last: ${lastFailure}`;
  const dead =
    deadLetters === 0 ? '0' : `${deadLetters}, see fnlet events dead ls ${metadata.name}`;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Name', metadata.name],
    ['Namespace', metadata.namespace],
    ['Ready', `${ready?.status ?? 'Unknown'}${reason}${message}`],
    ...Object.entries(spec.source).map(([kind, source]) => {
      return ['Source', `${kind} ${JSON.stringify(source)}`] as const;
    }),
    ['Filters', spec.filters && JSON.stringify(spec.filters)],
    ['Target', formatTarget(spec.target)],
    ['URL', url],
    ['Delivery', spec.delivery && JSON.stringify(spec.delivery)],
    ['Paused', spec.paused === true ? 'yes' : undefined],
    ['Last event', lastEventTime],
    ['Delivered', lastDeliveryTime],
    ['Next event', nextFireTime],
    ['Waiting', String(lag)],
    ['Failures', failures === 0 ? undefined : `${failures} in a row${last}`],
    ['Dead letters', dead],
  ];
  const head = facts.map(([name, value]) => {
    return value === undefined ? '' : `${`${name}:`.padEnd(14)} ${value}\n`;
  });
  return [...head, formatConditions(conditions, nowMs), formatEvents(events, nowMs)].join('');
}
