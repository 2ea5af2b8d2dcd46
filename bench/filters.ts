/**
 * How many events a filter of a Trigger is asked for in a second of processor time: texts compared
 * with attributes, and CESQL expressions. Half of the events pass.
 */
import type { EventFilter } from '../packages/api/src/index.ts';
import type { EventAttributes } from '../packages/eventing/src/event/cloud-event.ts';
import { compileFilters } from '../packages/eventing/src/filter/compile-filters.ts';
import { report, round } from './_figures.ts';

const events: readonly EventAttributes[] = Array.from({ length: 1_000 }, (_, index) => ({
  specversion: '1.0',
  id: `event-${index}`,
  source: `https://example.com/shops/${index % 50}`,
  type: index % 2 === 0 ? 'com.example.order.created' : 'com.example.order.cancelled',
  subject: `orders/${index}`,
  priority: index % 10,
}));

const measured: Readonly<Record<string, EventFilter>> = {
  exact: { exact: { type: 'com.example.order.created' } },
  prefix: { prefix: { type: 'com.example.order.cr' } },
  suffix: { suffix: { type: '.created' } },
  nested: { any: [{ all: [{ exact: { id: 'x' } }] }, { not: { suffix: { type: 'cancelled' } } }] },
  cesql: { cesql: "type LIKE '%.created' AND int(priority) >= 0 AND EXISTS subject" },
  cesqlFails: { cesql: "missing = 'x' OR type = 'com.example.order.created'" },
};

function perSecond(filter: EventFilter): number {
  const passes = compileFilters([filter]);
  let passed = 0;
  const ask = (rounds: number): void => {
    for (let round = 0; round < rounds; round++) {
      for (const event of events) if (passes(event)) passed++;
    }
  };
  ask(200);
  const rounds = 1_000;
  const start = process.cpuUsage();
  ask(rounds);
  const { user, system } = process.cpuUsage(start);
  if (passed > 0 && passed * 2 !== events.length * (rounds + 200)) throw new Error('wrong filter');
  return (rounds * events.length * 1e6) / (user + system);
}

const speeds = Object.entries(measured).map(([name, filter]) => [name, perSecond(filter)] as const);
report(
  'filters',
  Object.fromEntries(speeds.map(([name, speed]) => [name, { 'million/s': round(speed / 1e6, 2) }])),
  Object.fromEntries(speeds.map(([name, speed]) => [`${name}PerSecond`, round(speed, 0)])),
);
