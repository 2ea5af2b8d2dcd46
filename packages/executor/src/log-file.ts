/**
 * Owns the files of one run of an Instance: `<base>.log` and, once that was full, the one before
 * it as `<base>.log.1`. One writer in this process; readers open the files themselves.
 *
 * I1. A line that `append` was given is in the file when it returns: a crash of this process loses
 *     at most what still was in the pipe. Writing goes to the page cache, which takes microseconds,
 *     and its rate is bounded where the output is read.
 * I2. `version` grows with every change, and only then `changed` resolves.
 * I3. Segments are numbered: `rotations` is the number of the one being written.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { limits } from './limits.ts';

export class LogFile {
  readonly path: string;
  #file: number | undefined;
  #bytes = 0;
  #rotations: number;
  #version = 0;
  #ended: boolean;
  #waiting: (() => void)[] = [];

  /**
   * @param base Path without `.log`.
   * @param ended Whether its run is over: it is only read.
   */
  constructor(base: string, ended: boolean) {
    this.path = `${base}.log`;
    this.#ended = ended;
    this.#rotations = existsSync(this.rotatedPath) ? 1 : 0;
  }

  get rotatedPath(): string {
    return `${this.path}.1`;
  }

  get rotations(): number {
    return this.#rotations;
  }

  get version(): number {
    return this.#version;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Adds whole lines. */
  append(lines: Uint8Array): void {
    if (this.#ended) return;
    if (this.#bytes > 0 && this.#bytes + lines.length > limits.logFileBytesMax) this.#rotate();
    this.#file ??= this.#open();
    writeSync(this.#file, lines);
    this.#bytes += lines.length;
    this.#change();
  }

  /** The run is over. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#close();
    this.#change();
  }

  /** Resolves when the file is newer than `version`, or `signal` aborts. */
  changed(version: number, signal?: AbortSignal): Promise<void> {
    if (this.#version !== version || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        signal?.removeEventListener('abort', done);
        this.#waiting = this.#waiting.filter((other) => other !== done);
        resolve();
      };
      this.#waiting.push(done);
      signal?.addEventListener('abort', done, { once: true });
    });
  }

  #open(): number {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    const file = openSync(this.path, 'a', 0o600);
    this.#bytes = statSync(this.path).size;
    return file;
  }

  #rotate(): void {
    this.#close();
    rmSync(this.rotatedPath, { force: true });
    renameSync(this.path, this.rotatedPath);
    this.#bytes = 0;
    this.#rotations++;
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #change(): void {
    this.#version++;
    for (const done of this.#waiting) done();
  }
}
