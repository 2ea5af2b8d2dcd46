import type { KubeObject } from '@fnlet/machinery';

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** `name` marks the column that names the object. */
  readonly format?: string;
  readonly description: string;
  /** 0 is always shown; larger numbers only in wide output. */
  readonly priority?: number;
  /** The cell; `now` is in milliseconds since the epoch. */
  readonly cell: (object: KubeObject, now: number) => unknown;
}

/** The first column of nearly every kind. */
export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'The name of the object, unique within its namespace and kind.',
  cell: (object) => object.metadata.name ?? '',
};

/** How long ago the object was created. */
export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  description: 'The time since the object was created.',
  cell: (object, now) => formatAge(object.metadata.creationTimestamp, now),
};

/** The time since `timestamp` as kubectl shows it; `<unknown>` without one. */
export function formatAge(timestamp: unknown, now: number): string {
  const then = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(then) ? '<unknown>' : humanDuration(now - then);
}

/**
 * A duration with at most two units, coarser the longer it is: `90s`, `3m20s`, `47h`, `12d`
 * (apimachinery, util/duration HumanDuration).
 */
export function humanDuration(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return twoUnits([minutes, 'm'], [seconds % 60, 's']);
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return twoUnits([hours, 'h'], [minutes % 60, 'm']);
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return twoUnits([days, 'd'], [hours % 24, 'h']);
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.floor(days / 365);
  return hours < 24 * 365 * 8 ? twoUnits([years, 'y'], [days % 365, 'd']) : `${years}y`;
}

type Amount = readonly [count: number, unit: string];

function twoUnits(large: Amount, small: Amount): string {
  return small[0] === 0 ? large.join('') : large.join('') + small.join('');
}
