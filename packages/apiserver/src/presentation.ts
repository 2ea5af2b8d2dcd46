import type { KubeObject } from '@fnlet/machinery';
import type { WatchEvent } from './api-request.ts';
import type { ObjectList } from './list.ts';
import type { Transform } from './negotiation.ts';
import { isKubeObject } from './object-form.ts';
import type { Resource } from './resource.ts';
import { badRequest } from './status-texts.ts';
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
  /** Milliseconds since the epoch, for ages. */
  readonly now: () => number;
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
export function presentObject(presentation: Presentation, object: KubeObject): unknown {
  const { transform, resource } = presentation;
  if (transform === undefined) return object;
  if (transform.kind !== 'Table') return partialMetadata(object, transform.version);
  const metadata = { resourceVersion: object.metadata.resourceVersion };
  const columns = columnDefinitions(resource.strategy.columns);
  return table([row(presentation, object)], columns, { version: transform.version, metadata });
}

function row(presentation: Presentation, object: KubeObject): unknown {
  const { resource, include, transform, now } = presentation;
  const version = transform?.version ?? 'v1';
  return tableRow(object, resource.strategy.columns, { include, version, now: now() });
}

/** A page of a list in the wanted shape. */
export function presentList(presentation: Presentation, list: ObjectList): unknown {
  const { transform, resource } = presentation;
  const metadata = {
    resourceVersion: String(list.revision),
    ...(list.continueToken === undefined ? {} : { continue: list.continueToken }),
    ...(list.remaining === undefined ? {} : { remainingItemCount: list.remaining }),
  };
  if (transform === undefined) {
    const { listKind } = resource.strategy;
    return { kind: listKind, apiVersion: resource.apiVersion, metadata, items: list.items };
  }
  const { version } = transform;
  if (transform.kind === 'Table') {
    const rows = list.items.map((object) => row(presentation, object));
    const columns = columnDefinitions(resource.strategy.columns);
    return table(rows, columns, { version, metadata });
  }
  const items = list.items.map((object) => partialMetadata(object, version));
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    items,
  };
}

/** The events of a watch in the wanted shape; a Table names its columns in the first event only. */
export async function* presentEvents(
  presentation: Presentation,
  events: AsyncIterable<WatchEvent>,
): AsyncGenerator<WatchEvent, void, undefined> {
  const { transform, resource } = presentation;
  let columns: readonly unknown[] | null = columnDefinitions(resource.strategy.columns);
  for await (const event of events) {
    if (event.type === 'ERROR' || transform === undefined) {
      yield event;
      continue;
    }
    if (transform.kind !== 'Table') {
      yield { type: event.type, object: partialMetadata(event.object, transform.version) };
      continue;
    }
    yield { type: event.type, object: eventTable(presentation, event.object, columns) };
    columns = null;
  }
}

function eventTable(
  presentation: Presentation,
  object: unknown,
  columns: readonly unknown[] | null,
): unknown {
  const version = presentation.transform?.version ?? 'v1';
  if (!isKubeObject(object)) return object;
  const metadata = { resourceVersion: object.metadata.resourceVersion };
  return table([row(presentation, object)], columns, { version, metadata });
}
