import { limits } from './limits.ts';
import type { SeenRequest } from './seen-request.ts';

/** A request that changed something, or tried to. */
export interface RecordedWrite extends SeenRequest {
  /** The HTTP status of the answer, also when it was lost on the way. */
  readonly status: number;
  readonly dryRun: boolean;
}

/** The writes since the start, or since it was cleared; oldest first, the last 10 000. */
export class WriteJournal {
  #entries: RecordedWrite[] = [];

  /** What was written, refusals and dry runs included. */
  get entries(): readonly RecordedWrite[] {
    return this.#entries;
  }

  /** For the server that records. */
  add(write: RecordedWrite): void {
    this.#entries.push(write);
    if (this.#entries.length > limits.journalMax) this.#entries.shift();
  }

  /** Forgets what was written, so that a test sees only what comes next. */
  clear(): void {
    this.#entries = [];
  }
}

/** A few writes in words, such as `patch configmaps default/a (200)`. */
export function describeWrites(writes: readonly RecordedWrite[]): string {
  const told = writes.map(({ verb, resource, subresource, namespace, name, status }) => {
    const path = subresource === '' ? resource : `${resource}/${subresource}`;
    return `${verb} ${path} ${namespace === '' ? '' : `${namespace}/`}${name} (${status})`;
  });
  return told.join(', ');
}
