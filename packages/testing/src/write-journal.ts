import { limits } from './limits.ts';
import type { SeenRequest } from './seen-request.ts';

/** A request that changed something, or tried to. */
export interface RecordedWrite extends SeenRequest {
  /** Whose request it was. */
  readonly user: string;
  /** The HTTP status of the answer, also when it was lost on the way. */
  readonly status: number;
  readonly dryRun: boolean;
}

/** The writes since the start, or since it was cleared; oldest first. */
export class WriteJournal {
  #entries: RecordedWrite[] = [];

  get entries(): readonly RecordedWrite[] {
    return this.#entries;
  }

  add(write: RecordedWrite): void {
    this.#entries.push(write);
    if (this.#entries.length > limits.journalMax) this.#entries.shift();
  }

  clear(): void {
    this.#entries = [];
  }
}
