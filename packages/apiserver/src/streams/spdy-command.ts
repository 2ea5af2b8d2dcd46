import type { CommandChannels, WantedStreams } from './command-channels.ts';
import { endStream } from './command-channels.ts';
import { formatEnd } from './command-end.ts';
import type { SpdyStream } from './spdy-connection.ts';

/** Protocols of exec and attach over SPDY, in the order of this server's liking. */
export const spdyCommandProtocols = [
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
] as const;

export type SpdyCommandProtocol = (typeof spdyCommandProtocols)[number];

/** Waits for the streams that a client of this protocol opens, one for each thing it asked for. */
export class SpdyCommandStreams {
  readonly #expected: ReadonlySet<string>;
  readonly #protocol: SpdyCommandProtocol;
  readonly #streams = new Map<string, SpdyStream>();
  readonly #complete = Promise.withResolvers<void>();

  constructor(wanted: WantedStreams, protocol: SpdyCommandProtocol) {
    this.#protocol = protocol;
    this.#expected = new Set(expectedStreams(wanted, protocol));
  }

  /** Takes a stream that the client opened; what was not asked for is reset. */
  add(stream: SpdyStream): void {
    const name = stream.headers.streamtype ?? '';
    if (!this.#expected.has(name) || this.#streams.has(name)) {
      stream.incoming.destroy();
      stream.outgoing.destroy();
      return;
    }
    this.#streams.set(name, stream);
    if (this.#streams.size === this.#expected.size) this.#complete.resolve();
  }

  /** Resolves when all are there. */
  get complete(): Promise<void> {
    return this.#complete.promise;
  }

  channels(): CommandChannels {
    const take = (name: string): SpdyStream | undefined => this.#streams.get(name);
    const [stdout, stderr, error] = [take('stdout'), take('stderr'), take('error')];
    // Nothing is expected on these, and what comes must not hold up the others.
    for (const stream of [stdout, stderr, error]) stream?.incoming.resume();
    const isStatus = this.#protocol === 'v4.channel.k8s.io';
    return {
      stdin: take('stdin')?.incoming,
      stdout: stdout?.outgoing,
      stderr: stderr?.outgoing,
      resize: take('resize')?.incoming,
      async finish(end) {
        await Promise.all([endStream(stdout?.outgoing), endStream(stderr?.outgoing)]);
        await endStream(error?.outgoing, formatEnd(end, isStatus));
      },
    };
  }
}

function expectedStreams(
  { stdin, stdout, stderr, tty }: WantedStreams,
  protocol: SpdyCommandProtocol,
): readonly string[] {
  // Terminals change their size since v3.
  const hasResize = tty && (protocol === 'v4.channel.k8s.io' || protocol === 'v3.channel.k8s.io');
  return [
    'error',
    ...(stdin ? ['stdin'] : []),
    ...(stdout ? ['stdout'] : []),
    ...(stderr && !tty ? ['stderr'] : []),
    ...(hasResize ? ['resize'] : []),
  ];
}
