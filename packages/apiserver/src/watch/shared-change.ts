import type { Change } from '@fnlet/store';
import { type EventForm, presentEvent } from '../answer/presentation.ts';
import { KeptObject } from '../object/kept-object.ts';
import type { Selection } from '../object/selection.ts';
import type { WatchEvent } from '../request/api-request.ts';
import type { Resource } from '../resource/resource.ts';
import { EventDocument } from './event-document.ts';

type ObjectEvent = Exclude<WatchEvent['type'], 'BOOKMARK' | 'ERROR'>;

/** An event and the object that it shows. */
interface SelectedChange {
  readonly type: ObjectEvent;
  readonly kept: KeptObject;
}

/**
 * A change as the watches of one resource see it. What it takes to look into it and to write it
 * down is done at most once for each form, however many watches there are.
 */
export class SharedChange {
  /** The object after the change; `undefined` when it was deleted. */
  readonly after: KeptObject | undefined;
  /** The object before the change, with the version of the change: a deletion shows it so. */
  readonly before: KeptObject | undefined;
  readonly #documents = new Map<string, EventDocument>();

  constructor(resource: Resource, change: Change) {
    const { revision, text, previousText } = change;
    this.after = keep(resource, { text, revision, read: () => change.value });
    this.before = keep(resource, { text: previousText, revision, read: () => change.previous });
  }

  /** The event for who selects objects, in a form; objects enter and leave the selection. */
  show(selection: Selection, form: EventForm): EventDocument | undefined {
    const selected = this.#select(selection);
    if (selected === undefined) return undefined;
    const { type, kept } = selected;
    const id = `${type} ${form.key}`;
    const known = this.#documents.get(id);
    if (known !== undefined) return known;
    const document = objectEvent(form, type, kept);
    this.#documents.set(id, document);
    return document;
  }

  #select({ isNarrow, matches }: Selection): SelectedChange | undefined {
    const { before, after } = this;
    const wasIn = before !== undefined && (!isNarrow || matches(before.value));
    if (after !== undefined && (!isNarrow || matches(after.value))) {
      return { type: wasIn ? 'MODIFIED' : 'ADDED', kept: after };
    }
    return wasIn ? { type: 'DELETED', kept: before } : undefined;
  }
}

/** The event that shows an object in a form. */
export function objectEvent(form: EventForm, type: ObjectEvent, kept: KeptObject): EventDocument {
  const value = (): WatchEvent => presentEvent(form, { type, object: kept.value });
  if (form.transform !== undefined) return new EventDocument({ value });
  return new EventDocument({ value, text: () => `{"type":"${type}","object":${kept.text}}` });
}

interface Source {
  readonly text: string | undefined;
  readonly revision: number;
  readonly read: () => Change['value'];
}

function keep(resource: Resource, { text, revision, read }: Source): KeptObject | undefined {
  if (text === undefined) return undefined;
  // Parsed only when it is asked for.
  const stored = {
    text,
    revision,
    get value() {
      return read() ?? {};
    },
  };
  return new KeptObject(resource, stored);
}
