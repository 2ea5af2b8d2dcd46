import type { KubeObject } from '@fnlet/machinery';
import { eventForm, type Presentation, presentEvent } from '../answer/presentation.ts';
import { toStatus } from '../answer/to-status.ts';
import type { ApiContext } from '../api-context.ts';
import { showKept } from '../object/converted-objects.ts';
import { isKubeObject } from '../object/object-form.ts';
import type { WatchEvent } from '../request/api-request.ts';
import type { DocumentLine } from '../request/event-batches.ts';
import { EventDocument } from './event-document.ts';

type Events = AsyncIterable<readonly { readonly value: WatchEvent }[]>;

/**
 * The events of a watch of objects as they are kept, in the version and shape that a client wants,
 * in order; a conversion that fails ends the watch, after an event that says why.
 */
export async function* convertEvents(
  context: ApiContext,
  presentation: Presentation,
  batches: Events,
): AsyncGenerator<readonly DocumentLine[], void, undefined> {
  let form = eventForm(presentation, true);
  for await (const batch of batches) {
    const events = batch.map(({ value }) => value);
    let shown: readonly KubeObject[];
    try {
      shown = await showKept(presentation.resource, events.flatMap(objectOf));
    } catch (error) {
      const status = toStatus(error, context.logger);
      yield [new EventDocument({ value: () => ({ type: 'ERROR', object: status }) })];
      return;
    }
    const next = shown[Symbol.iterator]();
    const converted: DocumentLine[] = [];
    for (const event of events) {
      const object = isOfObject(event) ? next.next().value : event.object;
      const value = presentEvent(form, { type: event.type, object });
      form = eventForm(presentation, false);
      converted.push(new EventDocument({ value: () => value }));
    }
    yield converted;
  }
}

function isOfObject({ type, object }: WatchEvent): boolean {
  return type !== 'BOOKMARK' && type !== 'ERROR' && isKubeObject(object);
}

function objectOf(event: WatchEvent): readonly KubeObject[] {
  return isOfObject(event) && isKubeObject(event.object) ? [event.object] : [];
}
