/**
 * A Runner that is a Pod.
 *
 * I1. A lost connection ends nothing: the Runner goes on, and connects again. It has ended once its
 *     Pod is gone, or says that it has no code: its process was started anew.
 * I2. Who listens hears `exited` once, as the last event.
 * I3. Its code comes over this connection, calls come from elsewhere: no call is sent to it before
 *     it has said that it expects code.
 */
import { errorMessage } from '@fnlet/base';
import type { PodArtifact, PodState, RunnerReport, Specialisation } from '@fnlet/invocation';
import type { InstanceAddress } from '../executor.ts';
import type { Runner, RunnerExit, RunnerListener } from '../runner.ts';
import type { PodIdentity } from './pod-identity.ts';
import type { RunnerConnection } from './runner-connection.ts';

/** What a Runner needs of those who look after Pods. */
export interface PodCare {
  /** What the Runner is to fetch to have this source. */
  artifactOf(sourceDirectory: string): Promise<PodArtifact>;
  /** The address that the API shows of the Pod, as far as it is known. */
  hostOf(pod: PodIdentity): string | undefined;
  /** The Pod is the Instance of this name from now on: the API is to show it. */
  claim(pod: PodIdentity, specialisation: Specialisation): void;
  /** Its connection is gone: it may come back, or have ended. */
  disconnected(pod: PodIdentity): void;
  /** Ends the Pod; the kubelet lets it drain for so long. */
  end(pod: PodIdentity, graceMs: number): void;
}

export class PodRunner implements Runner {
  readonly pid: undefined;
  readonly pod: PodIdentity;
  readonly #care: PodCare;
  #connection: RunnerConnection;
  #revision: string | undefined;
  /** What it was when somebody took it over from an earlier owner. */
  readonly #found: PodState;
  #listener: RunnerListener | undefined;
  #drainMs = 0;
  #ended = false;
  #connected = true;
  #expects = false;

  constructor(connection: RunnerConnection, found: PodState, care: PodCare) {
    this.pod = connection.pod;
    this.#connection = connection;
    this.#found = found;
    this.#care = care;
    this.#hear(connection);
  }

  get address(): InstanceAddress {
    // A connection may come by way of somebody who has another address.
    const { host, port } = this.#connection;
    return { host: this.#care.hostOf(this.pod) ?? host, port };
  }

  // I3
  get holdsCalls(): boolean {
    return this.#expects;
  }

  /** Whether a connection to it stands: then its process lives. */
  get isConnected(): boolean {
    return this.#connected;
  }

  /** The Revision that it was given, here. */
  get revision(): string | undefined {
    return this.#revision;
  }

  rehearse(): void {
    this.#connection.send({ type: 'rehearse' });
  }

  /** One that serves the Revision already is ready at once, as it is. */
  specialise(specialisation: Specialisation, listener: RunnerListener): void {
    this.#listener = listener;
    this.#revision = `${specialisation.namespace}/${specialisation.revision}`;
    this.#drainMs = specialisation.limits.drainMs;
    this.#care.claim(this.pod, specialisation);
    if (this.#found.phase === 'ready') {
      queueMicrotask(() => listener.onEvent({ kind: 'ready' }));
      return;
    }
    const { sourceDirectory, ...rest } = specialisation;
    this.#care.artifactOf(sourceDirectory).then(
      (artifact) => this.#connection.send({ type: 'specialise', specialisation: rest, artifact }),
      (error: unknown) => {
        const message = `Cannot pack the source: ${errorMessage(error)}`;
        listener.onEvent({ kind: 'failed', failure: { code: 'LoadError', message } });
      },
    );
  }

  drain(): void {
    this.#care.end(this.pod, this.#drainMs);
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#care.end(this.pod, signal === 'SIGKILL' ? 0 : this.#drainMs);
  }

  /** It has connected again, and says what became of it. */
  reconnected(connection: RunnerConnection, state: PodState): void {
    if (state.phase === 'warm' && this.#listener !== undefined) {
      this.ended({ code: null, signal: null });
      return;
    }
    this.#connection = connection;
    this.#hear(connection);
    if (state.phase === 'ready') this.#onReport({ type: 'ready', loadMs: 0 });
    if (state.phase === 'failed') this.#onReport({ type: 'failed', failure: state.failure });
  }

  /** Somebody else has told its Pod to end. */
  leave(): void {
    this.#listener?.onEvent({ kind: 'leaving' });
  }

  /** Its Pod, or its process, is gone. */
  ended(exit: RunnerExit): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#connection.close();
    this.#listener?.onEvent({ kind: 'exited', ...exit });
    this.#listener?.onOutputEnd();
  }

  #hear(connection: RunnerConnection): void {
    this.#connected = true;
    connection.listen({
      onReport: (report) => this.#onReport(report),
      onClosed: () => {
        if (this.#connection !== connection || this.#ended) return;
        this.#connected = false;
        this.#care.disconnected(this.pod);
      },
    });
  }

  #onReport(report: RunnerReport): void {
    if (this.#ended) return;
    const { type } = report;
    // Earlier releases say no more than that they load.
    if ((type === 'expecting' || type === 'loading') && !this.#expects) {
      this.#expects = true;
      this.#listener?.onEvent({ kind: 'expecting' });
    }
    if (type === 'loading') {
      this.#listener?.onEvent({ kind: 'loading', file: report.file });
    } else if (type === 'ready') this.#listener?.onEvent({ kind: 'ready' });
    else if (type === 'failed') {
      this.#listener?.onEvent({ kind: 'failed', failure: report.failure });
      // Nothing else can come of this Pod: the next try gets one of its own.
      this.#care.end(this.pod, 0);
    }
  }
}
