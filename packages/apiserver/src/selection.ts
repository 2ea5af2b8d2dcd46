import { type KubeObject, matchesFields, matchesLabels } from '@fnlet/machinery';
import type { ListOptions } from './list-options.ts';
import { isSelectable, type Resource, selectableValue } from './resource.ts';
import { badRequest } from './status-texts.ts';

/** Which objects of a kind a list or watch is about. */
export interface Selection {
  /** Empty: all namespaces. */
  readonly namespace: string;
  /** Whether a selector narrows it, so that nobody knows how many objects follow. */
  readonly isNarrow: boolean;
  readonly matches: (object: KubeObject) => boolean;
}

/** @throws StatusError `BadRequest` for a field that the kind does not let select. */
export function createSelection(
  resource: Resource,
  namespace: string,
  options: Pick<ListOptions, 'labels' | 'fields'>,
): Selection {
  const { strategy } = resource;
  const { labels, fields } = options;
  for (const { field } of fields?.requirements ?? []) {
    if (!isSelectable(strategy, field)) throw unknownField(resource, field);
  }
  const matches = (object: KubeObject): boolean =>
    (labels === undefined || matchesLabels(labels, object.metadata.labels)) &&
    (fields === undefined ||
      matchesFields(fields, (field) => selectableValue(strategy, object, field)));
  return { namespace, isNarrow: labels !== undefined || fields !== undefined, matches };
}

function unknownField(resource: Resource, field: string): Error {
  if (resource.strategy.custom || Object.keys(resource.strategy.selectableFields).length > 0) {
    return badRequest(`field label not supported: ${field}`);
  }
  const known = '"metadata.name", "metadata.namespace"';
  return badRequest(`"${field}" is not a known field selector: only ${known}`);
}
