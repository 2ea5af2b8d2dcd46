import type { Condition } from '@fnlet/machinery';
import type { EventObject } from './connection.ts';
import { formatAge, formatTable } from './text-table.ts';

/** The conditions of an object, under their heading. */
export function formatConditions(conditions: readonly Condition[], nowMs: number): string {
  if (conditions.length === 0) return '';
  const rows = conditions.map((condition) => [
    condition.type,
    condition.status,
    condition.reason ?? '',
    ageOf(condition.lastTransitionTime, nowMs),
  ]);
  return `\nConditions:\n${indentTable(formatTable(['TYPE', 'STATUS', 'REASON', 'AGE'], rows))}`;
}

/** What happened to an object, in the order in which it did. */
export function formatEvents(events: readonly EventObject[], nowMs: number): string {
  if (events.length === 0) return '\nEvents: none\n';
  const at = (event: EventObject): string =>
    event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';
  const rows = [...events]
    .sort((a, b) => at(a).localeCompare(at(b)))
    .map((event) => [
      event.type ?? '',
      event.reason ?? '',
      `${ageOf(at(event), nowMs)}${(event.count ?? 1) > 1 ? ` (x${event.count})` : ''}`,
      (event.message ?? '').split('\n', 1)[0] ?? '',
    ]);
  return `\nEvents:\n${indentTable(formatTable(['TYPE', 'REASON', 'AGE', 'MESSAGE'], rows))}`;
}

/** How long ago a time of the API is; empty where there is none. */
export function ageOf(time: string | undefined, nowMs: number): string {
  const sinceMs = Date.parse(time ?? '');
  return Number.isNaN(sinceMs) ? '' : formatAge(sinceMs, nowMs);
}

/** A table below a heading. */
export function indentTable(table: string): string {
  return `${indent(table.trimEnd())}\n`;
}

/** Lines below a heading. */
export function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
