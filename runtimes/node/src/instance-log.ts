import { AsyncLocalStorage } from 'node:async_hooks';
import { Writable } from 'node:stream';
import { LineBuffer } from './line-buffer.ts';
import { writeFully } from './write-fully.ts';

const requestIdCharacters = 8;

/**
 * The log of an Instance: what its Runner writes to stdout and stderr, line by line. A line that is
 * written during a call starts with the first eight characters of its request id, in brackets.
 *
 * I1. Whoever writes (console, process.stdout, a dependency), and however late: the async context
 *     knows the call.
 * I2. A write returns once the operating system has the bytes (see `writeFully`); only the
 *     unfinished last line of a call waits, until the call or the process ends.
 */
export class InstanceLog {
  readonly #current = new AsyncLocalStorage<CallLog>();
  readonly #open = new Set<CallLog>();
  readonly #outside = new CallLog('');

  /** The log of one call; `end` it when the call is answered. */
  open(requestId: string): CallLog {
    const call: CallLog = new CallLog(`[${requestId.slice(0, requestIdCharacters)}] `, {
      onFirstWrite: () => this.#open.add(call),
      onEnd: () => this.#open.delete(call),
    });
    return call;
  }

  /** Runs `body`, and all that it starts, as part of a call. */
  run<T>(call: CallLog, body: () => T): T {
    return this.#current.run(call, body);
  }

  /** The call that the code now running belongs to. */
  get current(): CallLog | undefined {
    return this.#current.getStore();
  }

  /** Writes a line of the Runner itself to stderr, as part of the current call if there is one. */
  say(text: string): void {
    (this.current ?? this.#outside).write(2, `${text}\n`);
  }

  /** Writes a line to stdout that belongs to no call, for programs that read lines of its form. */
  print(line: string): void {
    this.#outside.write(1, `${line}\n`);
  }

  /** Takes the place of process.stdout and process.stderr, which console writes to as well. */
  install(): void {
    const streamTo = (fd: 1 | 2): Writable & { readonly fd: number } => {
      const write = (chunk: string | Buffer, done: () => void): void => {
        const text = typeof chunk === 'string' ? chunk : chunk.toString('utf8');
        (this.current ?? this.#outside).write(fd, text);
        done();
      };
      const stream = new Writable({
        decodeStrings: false,
        write: (chunk, _encoding, done) => write(chunk, done),
      });
      return Object.assign(stream, { fd });
    };
    for (const [name, fd] of [
      ['stdout', 1],
      ['stderr', 2],
    ] as const) {
      Object.defineProperty(process, name, { value: streamTo(fd), configurable: true });
    }
    process.on('exit', () => this.flush());
  }

  /** Writes out the unfinished lines of all calls. */
  flush(): void {
    for (const call of [this.#outside, ...this.#open]) call.flush();
  }
}

interface CallLogListener {
  onFirstWrite(): void;
  onEnd(): void;
}

/** What one call writes; its two streams never mix within a line. */
export class CallLog {
  readonly #prefix: string;
  readonly #listener: CallLogListener | undefined;
  #buffers: { readonly 1: LineBuffer; readonly 2: LineBuffer } | undefined;
  #ended = false;

  constructor(prefix: string, listener?: CallLogListener) {
    this.#prefix = prefix;
    this.#listener = listener;
  }

  write(fd: 1 | 2, text: string): void {
    const buffers = this.#buffers ?? this.#createBuffers();
    buffers[fd].write(text);
    if (this.#ended) buffers[fd].flush();
  }

  flush(): void {
    this.#buffers?.[1].flush();
    this.#buffers?.[2].flush();
  }

  /** The call is answered: what it still writes is not kept waiting for its line's end. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#buffers === undefined) return;
    this.flush();
    this.#listener?.onEnd();
  }

  // Most calls write nothing, and a call must cost as little as possible.
  #createBuffers(): { readonly 1: LineBuffer; readonly 2: LineBuffer } {
    const lineBuffer = (fd: 1 | 2): LineBuffer =>
      new LineBuffer(this.#prefix, (lines) => writeFully(fd, lines));
    this.#buffers = { 1: lineBuffer(1), 2: lineBuffer(2) };
    if (!this.#ended) this.#listener?.onFirstWrite();
    return this.#buffers;
  }
}
