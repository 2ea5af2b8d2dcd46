import { type Clock, isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { isKubeObject } from '../object/object-form.ts';
import type { WatchEvent } from '../request/api-request.ts';
import { type JsonDocument, LazyDocument, toDocument } from '../request/json-document.ts';
import type { Transform } from '../request/negotiation.ts';
import type { Resource } from '../resource/resource.ts';
import type { ObjectList } from './object-list.ts';
import { badRequest, otherShape } from './status-texts.ts';
import {
  columnDefinitions,
  type IncludeObject,
  partialMetadata,
  table,
  tableRow,
} from './table.ts';

/** The shape in which a client wants objects, lists and events. */
export interface Presentation {
  readonly resource: Resource;
  readonly transform: Transform | undefined;
  readonly include: IncludeObject;
  /** For ages. */
  readonly clock: Pick<Clock, 'now'>;
}

/** @throws StatusError `BadRequest` */
export function parseIncludeObject(query: URLSearchParams): IncludeObject {
  const text = query.get('includeObject') ?? '';
  if (text === '' || text === 'Metadata') return 'Metadata';
  if (text === 'Object' || text === 'None') return text;
  const problem = `Invalid value: "${text}": must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: includeObject: ${problem}`);
}

/** One object in the wanted shape. */
export function presentObject(
  presentation: Presentation,
  shown: JsonDocument<KubeObject>,
): JsonDocument {
  const { transform, resource } = presentation;
  if (transform === undefined) return shown;
  const { value: object } = shown;
  const { kind, version } = transform;
  if (kind !== 'Table') {
    const type = goType(resource, resource.strategy.type.kind);
    if (kind !== 'PartialObjectMetadata') throw otherShape(kind, { type, isList: false });
    return toDocument(partialMetadata(object, version));
  }
  const metadata = { resourceVersion: object.metadata.resourceVersion };
  const columns = columnDefinitions(resource.strategy.columns);
  return toDocument(table([row(presentation, object)], columns, { version, metadata }));
}

function row(presentation: Presentation, object: KubeObject): unknown {
  const { resource, include, transform, clock } = presentation;
  const version = transform?.version ?? 'v1';
  return tableRow(object, resource.strategy.columns, { include, version, now: clock.now() });
}

/** A page of a list in the wanted shape. */
export function presentList(presentation: Presentation, list: ObjectList): JsonDocument {
  const { transform, resource } = presentation;
  const metadata = {
    resourceVersion: String(list.revision),
    ...(list.continueToken === undefined ? {} : { continue: list.continueToken }),
    ...(list.remaining === undefined ? {} : { remainingItemCount: list.remaining }),
  };
  if (transform === undefined) {
    const { listKind } = resource.strategy;
    const head = { kind: listKind, apiVersion: resource.apiVersion, metadata };
    return new LazyDocument({
      value: () => ({ ...head, items: list.items.map(({ value }) => value) }),
      text: () => withItems(head, list.items),
    });
  }
  if (transform.kind === 'PartialObjectMetadata') {
    const type = goType(resource, resource.strategy.listKind);
    throw otherShape(transform.kind, { type, isList: true });
  }
  const objects = list.items.map(({ value }) => value);
  return toDocument(presentItems(presentation, transform, { objects, metadata }));
}

/** What kube-apiserver calls the type of what it would show. */
function goType({ strategy: { type, custom } }: Resource, kind: string): string {
  if (custom) return `unstructured.Unstructured${kind === type.kind ? '' : 'List'}`;
  const [name = ''] = type.group.split('.');
  return `${name === '' ? 'core' : name}.${kind}`;
}

/** The text of a list from the texts of its items, which are not looked into. */
function withItems(head: JsonObject, items: readonly JsonDocument[]): string {
  const texts = items.map(({ text }) => text).join(',');
  return `${JSON.stringify(head).slice(0, -1)},"items":[${texts}]}`;
}

function presentItems(
  presentation: Presentation,
  { kind, version }: Transform,
  { objects, metadata }: { readonly objects: readonly KubeObject[]; readonly metadata: JsonObject },
): unknown {
  if (kind === 'Table') {
    const rows = objects.map((object) => row(presentation, object));
    const columns = columnDefinitions(presentation.resource.strategy.columns);
    return table(rows, columns, { version, metadata });
  }
  const items = objects.map((object) => partialMetadata(object, version));
  const apiVersion = `meta.k8s.io/${version}`;
  return { kind: 'PartialObjectMetadataList', apiVersion, metadata, items };
}

/** The shape of events; watches with the same `key` send the same. */
export interface EventForm extends Presentation {
  readonly key: string;
  /** The columns of a Table stand in the first event of a watch only. */
  readonly hasColumns: boolean;
}

export function eventForm(presentation: Presentation, isFirst: boolean): EventForm {
  const { transform, include } = presentation;
  const hasColumns = isFirst && transform?.kind === 'Table';
  const shape = transform === undefined ? '' : `${transform.kind} ${transform.version} ${include}`;
  return { ...presentation, hasColumns, key: `${shape} ${hasColumns}` };
}

/** An event of a watch in the wanted shape. */
export function presentEvent(form: EventForm, { type, object }: WatchEvent): WatchEvent {
  const { transform, resource, hasColumns } = form;
  if (type === 'ERROR' || transform === undefined) return { type, object };
  const { version } = transform;
  if (transform.kind !== 'Table') return { type, object: partialMetadata(object, version) };
  const { metadata = {} } = isJsonObject(object) ? object : {};
  const { resourceVersion } = isJsonObject(metadata) ? metadata : {};
  const columns = hasColumns ? columnDefinitions(resource.strategy.columns) : null;
  const rows = isKubeObject(object) ? [row(form, object)] : [];
  return { type, object: table(rows, columns, { version, metadata: { resourceVersion } }) };
}
