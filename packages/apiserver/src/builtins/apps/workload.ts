import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { Column } from '../../answer/column.ts';
import { objectField } from '../../object/object-form.ts';
import { statusCount, templateColumns, wideColumn } from '../cells.ts';
import { countOrPercent, percentOf } from '../form.ts';
import { shownSelector } from '../label-selector-rule.ts';
import { notSupported } from '../refusal.ts';
import { about, atLeast, type Rule } from '../rule.ts';

// What the kinds of apps/v1 that keep Pods running have in common.

/** No less than nothing. */
export const count: Rule = atLeast(0);

/** A number of Pods or a part of them, as a number; a percentage counts as its number. */
export function amountOf(value: unknown): number {
  return typeof value === 'number' ? value : (percentOf(value) ?? 0);
}

/** The rule of a field that is a number of Pods or a part of them. */
export const podCount: Rule = countOrPercent;

/** Ready Pods of how many are wanted. */
export function readyCell(object: KubeObject): string {
  const { replicas } = objectField(object, 'spec');
  return `${statusCount('readyReplicas')(object)}/${typeof replicas === 'number' ? replicas : 0}`;
}

/** The wide columns of containers, images and selector. */
export const podColumns: readonly Column[] = [
  ...templateColumns((object) => objectField(objectField(object, 'spec'), 'template')),
  wideColumn('Selector', 'Which Pods belong to it.', (object) =>
    shownSelector(objectField(object, 'spec').selector),
  ),
];

/** A strategy as the Go struct that it is to Kubernetes, which shows it so in refusals. */
export function goStrategy(
  strategy: JsonObject,
  zeros: Readonly<Record<string, unknown>>,
): JsonObject {
  const { type, rollingUpdate } = strategy;
  if (!isJsonObject(rollingUpdate)) return { Type: type, RollingUpdate: null };
  const named = Object.entries(zeros).map(([field, zero]) => [
    field.charAt(0).toUpperCase() + field.slice(1),
    rollingUpdate[field] ?? zero,
  ]);
  return { Type: type, RollingUpdate: Object.fromEntries(named) };
}

/** One of these types of a strategy that has a surge; told at the strategy, which is shown whole. */
export function strategyType(...known: readonly string[]): Rule {
  return about((strategy, path) =>
    known.includes(String(strategy.type))
      ? []
      : [notSupported(path, goStrategy(strategy, { maxUnavailable: 0, maxSurge: 0 }), known)],
  );
}
