import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { Column } from '../answer/column.ts';
import { listField, objectField, textField } from '../object/object-form.ts';

// The words of printer columns (kubernetes, printers/internalversion).

/** What a column shows where there is nothing. */
export const none = '<none>';

type Cell = Column['cell'];

/** A column of text that is always shown. */
export function column(name: string, description: string, cell: Cell): Column {
  return { name, type: 'string', description, cell };
}

/** A column of whole numbers. */
export function countColumn(name: string, description: string, cell: Cell): Column {
  return { ...column(name, description, cell), type: 'integer' };
}

/** A column of yes and no. */
export function flagColumn(name: string, description: string, cell: Cell): Column {
  return { ...column(name, description, cell), type: 'boolean' };
}

/** A column that only `-o wide` shows. */
export function wideColumn(name: string, description: string, cell: Cell): Column {
  return { ...column(name, description, cell), priority: 1 };
}

/** The text at `spec.<field>`. */
export const specText =
  (field: string) =>
  (object: KubeObject): string =>
    textField(objectField(object, 'spec'), field);

/** The text at `status.<field>`. */
export const statusText =
  (field: string) =>
  (object: KubeObject): string =>
    textField(objectField(object, 'status'), field);

/** The number at `spec.<field>`, or 0. */
export const specCount =
  (field: string) =>
  (object: KubeObject): number =>
    numberField(objectField(object, 'spec'), field);

/** The number at `status.<field>`, or 0. */
export const statusCount =
  (field: string) =>
  (object: KubeObject): number =>
    numberField(objectField(object, 'status'), field);

/** A field that is a number, or 0. */
export function numberField(object: JsonObject, field: string): number {
  const value = object[field];
  return typeof value === 'number' ? value : 0;
}

/** A list of texts, cut after `shownMax`; `nothing` when there are none. */
export function listed(items: readonly string[], shownMax: number, nothing: string): string {
  if (items.length === 0) return nothing;
  const text = items.slice(0, shownMax).join(',');
  const more = items.length - shownMax;
  return more > 0 ? `${text} + ${more} more...` : text;
}

/** The wide columns of a kind that makes Pods from a template. */
export function templateColumns(templateOf: (object: KubeObject) => JsonObject): readonly Column[] {
  const containers = (object: KubeObject): readonly JsonObject[] =>
    listField(objectField(templateOf(object), 'spec'), 'containers');
  const joined =
    (field: string) =>
    (object: KubeObject): string =>
      containers(object)
        .map((container) => textField(container, field))
        .join(',');
  return [
    wideColumn('Containers', 'Names of the containers.', joined('name')),
    wideColumn('Images', 'Images of the containers.', joined('image')),
  ];
}
