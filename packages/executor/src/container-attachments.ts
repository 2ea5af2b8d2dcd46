/**
 * Owns the input of one running container, and whoever is attached to it.
 *
 * I1. Output goes to everybody who is attached, as it comes: a prompt without an end of line, too.
 *     Who falls behind is let go; the container waits for nobody, and its log has all.
 * I2. With `stdinOnce` the input ends with the first who was attached to it (core/v1 Container).
 */
import { PassThrough, Writable } from 'node:stream';
import { limits } from './limits.ts';

/** How somebody is connected to a container. */
export interface AttachOptions {
  /** Whether they write to its input. */
  readonly stdin: boolean;
  /** Ends the connection; the container goes on. */
  readonly signal: AbortSignal;
}

/** A container that somebody is connected to, from now on. */
export interface AttachedContainer {
  /** Absent where it was not asked for. A container without an open input reads none of it. */
  readonly stdin: Writable | undefined;
  readonly stdout: PassThrough;
  /** Ends without a byte where the container has a terminal. */
  readonly stderr: PassThrough;
  /** Resolves when the container has ended, or the connection has. */
  readonly ended: Promise<void>;
  /** Tells its terminal about another size. */
  resize(columns: number, rows: number): void;
}

export interface ContainerAttachmentsOptions {
  /** The input of its process, if that is open. */
  readonly input: Writable | undefined;
  readonly stdinOnce: boolean;
  resize(columns: number, rows: number): void;
}

interface Attachment {
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  leave(): void;
}

export class ContainerAttachments {
  readonly #options: ContainerAttachmentsOptions;
  readonly #attached = new Set<Attachment>();

  constructor(options: ContainerAttachmentsOptions) {
    this.#options = options;
    // A process that reads no more, or has ended, is no failure of who writes to it.
    options.input?.on('error', () => {});
  }

  /** Hands on what the container has written. */
  write(stream: 'stdout' | 'stderr', chunk: Uint8Array): void {
    for (const attachment of this.#attached) {
      const output = attachment[stream];
      output.write(chunk);
      if (output.writableLength + output.readableLength > limits.attachedBytesMax) {
        attachment.leave();
      }
    }
  }

  /** The container has ended: everybody has seen all of it. */
  end(): void {
    for (const attachment of [...this.#attached]) attachment.leave();
  }

  attach({ stdin, signal }: AttachOptions): AttachedContainer {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const input = stdin ? this.#inputOf() : undefined;
    const leave = (): void => {
      if (!this.#attached.delete(attachment)) return;
      signal.removeEventListener('abort', leave);
      stdout.end();
      stderr.end();
      input?.destroy();
      resolve();
    };
    const attachment: Attachment = { stdout, stderr, leave };
    this.#attached.add(attachment);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    const { resize } = this.#options;
    return { stdin: input, stdout, stderr, ended, resize };
  }

  #inputOf(): Writable {
    const { input, stdinOnce } = this.#options;
    const close = (): void => {
      if (stdinOnce) input?.end();
    };
    return new Writable({
      write(chunk, _encoding, callback) {
        // One that is closed takes nothing, as a kubelet's.
        if (input === undefined || !input.writable) callback();
        else input.write(chunk, () => callback());
      },
      final(callback) {
        close();
        callback();
      },
      destroy(error, callback) {
        close();
        callback(error);
      },
    });
  }
}
