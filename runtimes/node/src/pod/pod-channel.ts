/**
 * The way from a Runner in a Pod to its owner, over connections that come and go.
 *
 * I1. Whoever owns the Runner next hears in the first line what became of it.
 * I2. A lost connection ends nothing: calls come from the Gateway, not over it.
 */
import type { Duplex } from 'node:stream';
import {
  type LoadFailure,
  type PodCommand,
  type PodHello,
  type PodInstance,
  type PodState,
  parsePodCommand,
  type RunnerReport,
} from '@fnlet/invocation';
import type { ControlChannel, ControlChannelListener } from '../control-channel.ts';
import { limits } from '../limits.ts';
import type { OwnerAddress } from './owner-address.ts';
import { fetchArtifact, rehearseArtifact } from './pod-files.ts';

export interface PodChannelOptions {
  readonly owner: OwnerAddress;
  /** Name of the runtime that this is. */
  readonly runtime: string;
  /** Where the files of the Revision go. */
  readonly directory: string;
  readonly listener: ControlChannelListener;
  /** Says what the log of the Pod should tell. */
  readonly say: (text: string) => void;
}

export class PodChannel implements ControlChannel {
  readonly #options: PodChannelOptions;
  #socket: Duplex | undefined;
  #port = 0;
  #state: PodState = { phase: 'warm' };
  #failures = 0;
  #closed = false;

  constructor(options: PodChannelOptions) {
    this.#options = options;
  }

  report(report: RunnerReport): void {
    if (report.type === 'warm') {
      // The Runner has said why. Nobody could call it here: the kubelet starts it anew.
      if (report.port === 0) process.exit(1);
      this.#port = report.port;
      void this.#keepConnected();
      return;
    }
    // What is told to drain while it loads goes on draining.
    if (this.#state.phase === 'loading') {
      this.#state = stateAfter(report, this.#state.instance) ?? this.#state;
    }
    this.#send(report);
  }

  close(): void {
    this.#closed = true;
    if (this.#socket === undefined) this.#options.listener.onClose();
    else this.#socket.end();
  }

  async #keepConnected(): Promise<void> {
    while (!this.#closed) {
      try {
        await this.#connection();
        this.#failures = 0;
      } catch (error) {
        this.#complain(error);
      }
      if (this.#closed) break;
      // Whoever was left by an owner that ended is not to come to the next one all at once.
      const delayMs = Math.min(limits.reconnectMaxMs, limits.reconnectMs * 2 ** this.#failures);
      await new Promise((resolve) => setTimeout(resolve, delayMs * (0.5 + Math.random() / 2)));
      this.#failures += 1;
    }
    this.#options.listener.onClose();
  }

  /** Connects, and resolves when the connection is over. */
  async #connection(): Promise<void> {
    const { owner, runtime } = this.#options;
    const socket = await owner.connect();
    this.#failures = 0;
    this.#socket = socket;
    const hello: PodHello = { type: 'hello', runtime, port: this.#port, state: this.#state };
    socket.write(`${JSON.stringify(hello)}\n`);
    const over = new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      socket.on('error', () => socket.destroy());
    });
    readLines(socket, (line) => this.#onLine(line));
    await over;
    this.#socket = undefined;
  }

  #onLine(line: string): void {
    const command = parsePodCommand(tryParseJson(line));
    // A newer owner may know more; what is not understood is not obeyed.
    if (command === undefined) this.#options.say('Found a message that is no command');
    else if (command.type === 'specialise') void this.#specialise(command);
    else this.#obey(command);
  }

  #obey(command: Exclude<PodCommand, { readonly type: 'specialise' }>): void {
    const { phase } = this.#state;
    if (command.type === 'drain' && phase !== 'warm') {
      this.#state = { phase: 'draining', instance: this.#state.instance };
    }
    if (command.type === 'rehearse' && phase === 'warm') {
      const { directory, owner } = this.#options;
      rehearseArtifact(directory, owner).catch(() => {});
    }
    this.#options.listener.onCommand(command);
  }

  async #specialise(command: Extract<PodCommand, { readonly type: 'specialise' }>): Promise<void> {
    if (this.#state.phase !== 'warm') return;
    const { specialisation, artifact } = command;
    const { namespace, revision, instance } = specialisation;
    this.#state = { phase: 'loading', instance: { namespace, revision, instance } };
    const { directory, owner, listener } = this.#options;
    // A call that waits at the Gateway comes by its own way while the files are unpacked.
    listener.onExpected(true);
    // What is written meanwhile waits for it, and user code may end the process with its first line.
    const told = this.#tell({ type: 'expecting' });
    try {
      const sourceDirectory = await fetchArtifact(artifact, directory, owner);
      await told;
      const whole = { ...specialisation, sourceDirectory };
      listener.onCommand({ type: 'specialise', specialisation: whole });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const failure: LoadFailure = { code: 'LoadError', message };
      listener.onExpected(false);
      this.report({ type: 'failed', failure });
    }
  }

  /** Resolves once it is on its way, or nobody is there to hear it. */
  #tell(report: RunnerReport): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      socket.write(`${JSON.stringify(report)}\n`, () => resolve());
    });
  }

  #send(message: RunnerReport): void {
    this.#socket?.write(`${JSON.stringify(message)}\n`);
  }

  #complain(error: unknown): void {
    // The first failure of a row tells it all.
    if (this.#failures > 0) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.say(`Cannot reach the controller, and goes on trying: ${reason}`);
  }
}

/** What a Runner is after it reported; `undefined`: what it was before. */
function stateAfter(report: RunnerReport, instance: PodInstance): PodState | undefined {
  if (report.type === 'ready') return { phase: 'ready', instance };
  if (report.type === 'failed') return { phase: 'failed', instance, failure: report.failure };
  return undefined;
}

function readLines(socket: Duplex, onLine: (line: string) => void): void {
  let parts: string[] = [];
  let length = 0;
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const [head = '', ...rest] = chunk.split('\n');
    parts.push(head);
    length += head.length;
    for (const next of rest) {
      onLine(parts.join(''));
      parts = [next];
      length = next.length;
    }
    if (length > limits.controlLineCharactersMax) socket.destroy();
  });
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
