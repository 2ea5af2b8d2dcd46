import { type Clock, jsonEqual } from '@fnlet/base';
import type { Log, LogStream, StreamOptions } from './log.ts';
import { assertName, LogCore } from './log-core.ts';
import { newHead } from './stream-head.ts';
import { TableStream } from './table-stream.ts';
import type { LogTables } from './tables.ts';

export interface TableLogOptions {
  readonly clock: Clock;
  /** Called once after the tables are closed. */
  readonly onClosed?: () => Promise<void>;
}

/** The log over any {@link LogTables}. */
export class TableLog implements Log {
  readonly durability: Log['durability'];
  readonly #core: LogCore;
  readonly #onClosed: (() => Promise<void>) | undefined;
  #closed: Promise<void> | undefined;

  constructor(tables: LogTables, { clock, onClosed }: TableLogOptions) {
    this.durability = tables.durability;
    this.#core = new LogCore(tables, clock);
    this.#onClosed = onClosed;
  }

  async stream(name: string, options?: StreamOptions): Promise<LogStream> {
    this.#core.assertOpen();
    assertName(name);
    const found = this.#core.heads.get(name);
    if (found !== undefined && (options === undefined || jsonEqual(found.options, options))) {
      return new TableStream(this.#core, found);
    }
    const head = await this.#core.run((staging) => {
      const known = staging.find(name) ?? newHead(name, this.#core.nextNumber(), {});
      const staged = options === undefined ? known : { ...known, options };
      staging.setHead(staged);
      return staged;
    });
    return new TableStream(this.#core, head);
  }

  async streams(prefix: string): Promise<readonly string[]> {
    this.#core.assertOpen();
    return [...this.#core.heads.keys()].filter((name) => name.startsWith(prefix)).sort();
  }

  removeStream(name: string): Promise<void> {
    return this.#core.remove(name);
  }

  close(): Promise<void> {
    this.#closed ??= this.#core.close().then(() => this.#onClosed?.());
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
