import type { JsonObject } from '@fnlet/base';
import { objectField, textField } from '../../object/object-form.ts';

const unknown = '<unknown>';

/** What is measured and what it should be: `cpu: 12%/80%`, `3/10 (avg)`. */
export function metricCell(metric: JsonObject, current: JsonObject | undefined): string {
  const type = textField(metric, 'type');
  const field = type.charAt(0).toLowerCase() + type.slice(1);
  const source = objectField(metric, field);
  const target = objectField(source, 'target');
  const now = objectField(objectField(current ?? {}, field), 'current');
  switch (type) {
    case 'Resource':
    case 'ContainerResource':
      return `${textField(source, 'name')}: ${resourceCell(target, now)}`;
    case 'External':
    case 'Object':
      return target.averageValue === undefined
        ? `${shown(now.value)}/${shown(target.value)}`
        : `${shown(now.averageValue)}/${shown(target.averageValue)} (avg)`;
    case 'Pods':
      return `${shown(now.averageValue)}/${shown(target.averageValue)}`;
    default:
      return '<unknown type>';
  }
}

function resourceCell(target: JsonObject, now: JsonObject): string {
  if (target.averageValue !== undefined) {
    return `${shown(now.averageValue)}/${shown(target.averageValue)}`;
  }
  const { averageUtilization: wanted } = target;
  return `${percent(now.averageUtilization, unknown)}/${percent(wanted, '<auto>')}`;
}

function percent(value: unknown, nothing: string): string {
  return typeof value === 'number' ? `${value}%` : nothing;
}

function shown(value: unknown): string {
  return value === undefined || value === null ? unknown : String(value);
}
