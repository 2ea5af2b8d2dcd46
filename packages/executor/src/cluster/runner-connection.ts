import type { Duplex } from 'node:stream';
import type { PodCommand, RunnerReport } from '@fnlet/invocation';
import { parseRunnerReport } from '../runner-report.ts';
import { clusterLimits } from './limits.ts';
import type { PodIdentity } from './pod-identity.ts';

/** What a connection to a Runner in a Pod tells. */
export interface RunnerConnectionListener {
  onReport(report: RunnerReport): void;
  /** It is gone; the Runner may live on, and connect again. Called once. */
  onClosed(): void;
}

/** One connection of a Runner in a Pod. */
export class RunnerConnection {
  readonly pod: PodIdentity;
  /** Address of the Pod, as the connection shows it. */
  readonly host: string;
  /** Where the Runner answers calls; 0 before it has said so. */
  port = 0;
  readonly #socket: Duplex;
  #listener: RunnerConnectionListener | undefined;
  #onFirstLine: ((line: string) => void) | undefined;
  #unread = '';
  #closed = false;

  constructor(options: {
    readonly pod: PodIdentity;
    readonly socket: Duplex;
    readonly remoteAddress: string;
  }) {
    const { pod, socket, remoteAddress } = options;
    this.pod = pod;
    this.host = remoteAddress.replace(/^::ffff:/, '');
    this.#socket = socket;
    const decoder = new TextDecoder();
    socket.on('data', (chunk: Uint8Array) => {
      this.#onData(decoder.decode(chunk, { stream: true }));
    });
    socket.once('close', () => this.#onClose());
  }

  /** Who hears the first line, which is a hello. To be called once, before any comes. */
  onFirstLine(listener: (line: string) => void): void {
    this.#onFirstLine = listener;
  }

  /** Who hears all others; one at a time. Told at once where the connection is closed already. */
  listen(listener: RunnerConnectionListener): void {
    this.#listener = listener;
    if (this.#closed) listener.onClosed();
  }

  send(command: PodCommand): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(command)}\n`);
  }

  close(): void {
    this.#socket.destroy();
  }

  #onData(chunk: string): void {
    const lines = (this.#unread + chunk).split('\n');
    this.#unread = lines.pop() ?? '';
    for (const line of lines) {
      const first = this.#onFirstLine;
      this.#onFirstLine = undefined;
      if (first !== undefined) first(line);
      else this.#onLine(line);
    }
    if (this.#unread.length > clusterLimits.lineCharactersMax) this.close();
  }

  // User code shares the process of a Runner: what is no report is none.
  #onLine(line: string): void {
    const report = parseRunnerReport(line);
    if (report !== undefined) this.#listener?.onReport(report);
  }

  #onClose(): void {
    this.#closed = true;
    this.#listener?.onClosed();
  }
}
