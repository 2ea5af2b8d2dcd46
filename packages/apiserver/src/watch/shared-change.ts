import type { Change, StoredObject } from '@fnlet/store';
import { type EventForm, presentEvent } from '../answer/presentation.ts';
import { KeptObject } from '../object/kept-object.ts';
import type { Selection } from '../object/selection.ts';
import type { WatchEvent } from '../request/api-request.ts';
import type { Resource } from '../resource/resource.ts';
import { EventDocument } from './event-document.ts';

type ObjectEvent = Exclude<WatchEvent['type'], 'BOOKMARK' | 'ERROR'>;

/** An event as it was written down for the watches of one form. */
interface Shown {
  readonly type: ObjectEvent;
  readonly formKey: string;
  readonly document: EventDocument;
}

/**
 * A change as the watches of one resource see it. What it takes to look into it and to write it
 * down is done at most once for each form, however many watches there are, and only when it is
 * asked for: who watches a name is answered from the key and the kept text.
 */
export class SharedChange {
  /** Of the object. */
  readonly name: string;
  readonly #resource: Resource;
  readonly #change: Change;
  #after: KeptObject | undefined;
  #before: KeptObject | undefined;
  // Nearly always one.
  readonly #shown: Shown[] = [];

  constructor(resource: Resource, change: Change) {
    this.name = change.key.slice(change.key.lastIndexOf('/') + 1);
    this.#resource = resource;
    this.#change = change;
  }

  /** The object after the change; `undefined` when it was deleted. */
  get after(): KeptObject | undefined {
    if (this.#change.text === undefined) return undefined;
    this.#after ??= new KeptObject(this.#resource, new StateAfter(this.#change));
    return this.#after;
  }

  /** The object before the change, with the version of the change: a deletion shows it so. */
  get before(): KeptObject | undefined {
    if (this.#change.previousText === undefined) return undefined;
    this.#before ??= new KeptObject(this.#resource, new StateBefore(this.#change));
    return this.#before;
  }

  /** The event for who selects objects, in a form; objects enter and leave the selection. */
  show(selection: Selection, form: EventForm): EventDocument | undefined {
    const isIn = this.#isIn(selection, this.after);
    const wasIn = this.#isIn(selection, this.before);
    if (isIn) return this.#document(wasIn ? 'MODIFIED' : 'ADDED', form);
    return wasIn ? this.#document('DELETED', form) : undefined;
  }

  #isIn({ isNarrow, onlyName, matches }: Selection, kept: KeptObject | undefined): boolean {
    if (kept === undefined || !isNarrow) return kept !== undefined;
    return onlyName === undefined ? matches(kept.value) : onlyName === this.name;
  }

  #document(type: ObjectEvent, form: EventForm): EventDocument | undefined {
    const { key: formKey } = form;
    for (const shown of this.#shown) {
      if (shown.type === type && shown.formKey === formKey) return shown.document;
    }
    const kept = type === 'DELETED' ? this.before : this.after;
    if (kept === undefined) return undefined;
    const document = objectEvent(form, type, kept);
    this.#shown.push({ type, formKey, document });
    return document;
  }
}

/** The event that shows an object in a form. */
export function objectEvent(form: EventForm, type: ObjectEvent, kept: KeptObject): EventDocument {
  const value = (): WatchEvent => presentEvent(form, { type, object: kept.value });
  if (form.transform !== undefined) return new EventDocument({ value });
  return new EventDocument({ value, text: () => `{"type":"${type}","object":${kept.text}}` });
}

type State = Omit<StoredObject, 'key'>;

/** What a change left; parsed only when it is asked for. */
class StateAfter implements State {
  readonly #change: Change;

  constructor(change: Change) {
    this.#change = change;
  }

  get revision(): number {
    return this.#change.revision;
  }

  get text(): string {
    return this.#change.text ?? '{}';
  }

  get value(): State['value'] {
    return this.#change.value ?? {};
  }
}

/** What a change found. */
class StateBefore implements State {
  readonly #change: Change;

  constructor(change: Change) {
    this.#change = change;
  }

  get revision(): number {
    return this.#change.revision;
  }

  get text(): string {
    return this.#change.previousText ?? '{}';
  }

  get value(): State['value'] {
    return this.#change.previous ?? {};
  }
}
