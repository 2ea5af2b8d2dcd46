import { type KubeObject, matchesFields, matchesLabels } from '@fnlet/machinery';
import { badRequest } from '../answer/status-texts.ts';
import type { ListOptions } from '../request/list-options.ts';
import { isSelectable, type Resource, selectableValue } from '../resource/resource.ts';

/** One value that every selected object has, so that watches can be found by it. */
export interface Pin {
  /** What is read; the same for all selections that read the same. */
  readonly id: string;
  /** Whether it is the name of the object, which its key tells. */
  readonly isName: boolean;
  readonly value: string;
  readonly read: (object: KubeObject) => string | undefined;
}

/** Which objects of a kind a list or watch is about. */
export interface Selection {
  /** Empty: all namespaces. */
  readonly namespace: string;
  /** Whether a selector narrows it, so that nobody knows how many objects follow. */
  readonly isNarrow: boolean;
  readonly matches: (object: KubeObject) => boolean;
  readonly pin: Pin | undefined;
  /** The only name that it is about, when nothing else is asked: then a key tells what matches. */
  readonly onlyName: string | undefined;
}

/**
 * With `name` it is about that object only.
 *
 * @throws StatusError `BadRequest` for a field that the kind does not let select.
 */
export function createSelection(
  resource: Resource,
  { namespace, name }: { readonly namespace: string; readonly name?: string | undefined },
  options: Pick<ListOptions, 'labels' | 'fields'>,
): Selection {
  const { strategy } = resource;
  const { labels, fields } = options;
  for (const { field } of fields?.requirements ?? []) {
    if (!isSelectable(strategy, field)) throw unknownField(resource, field);
  }
  const matches = (object: KubeObject): boolean =>
    (name === undefined || object.metadata.name === name) &&
    (labels === undefined || matchesLabels(labels, object.metadata.labels)) &&
    (fields === undefined ||
      matchesFields(fields, (field) => selectableValue(strategy, object, field)));
  const isNarrow = name !== undefined || labels !== undefined || fields !== undefined;
  const pin = name === undefined ? pinOf(resource, options) : namePin(name);
  const requirements = fields?.requirements.length ?? 0;
  const isNameAll = labels === undefined && requirements === (name === undefined ? 1 : 0);
  const onlyName = pin?.isName === true && isNameAll ? pin.value : undefined;
  return { namespace, isNarrow, matches, pin, onlyName };
}

function pinOf(
  { strategy }: Resource,
  { labels, fields }: Pick<ListOptions, 'labels' | 'fields'>,
): Pin | undefined {
  const field = fields?.requirements.find(({ operator }) => operator === '=');
  if (field !== undefined) {
    if (field.field === nameField) return namePin(field.value);
    const read = (object: KubeObject): string =>
      selectableValue(strategy, object, field.field) ?? '';
    return { isName: false, id: `field ${field.field}`, value: field.value, read };
  }
  const label = labels?.requirements.find(
    ({ operator, values }) => operator === '=' || (operator === 'in' && values.length === 1),
  );
  const [value] = label?.values ?? [];
  if (label === undefined || value === undefined) return undefined;
  const read = (object: KubeObject): string | undefined => object.metadata.labels?.[label.key];
  return { isName: false, id: `label ${label.key}`, value, read };
}

const nameField = 'metadata.name';

// Made once, as watches of names keep them: there may be thousands.
const nameId = `field ${nameField}`;
const nameOf = ({ metadata }: KubeObject): string => metadata.name;

function namePin(name: string): Pin {
  return { isName: true, id: nameId, value: name, read: nameOf };
}

function unknownField(resource: Resource, field: string): Error {
  if (resource.strategy.custom || Object.keys(resource.strategy.selectableFields).length > 0) {
    return badRequest(`field label not supported: ${field}`);
  }
  const known = '"metadata.name", "metadata.namespace"';
  return badRequest(`"${field}" is not a known field selector: only ${known}`);
}
