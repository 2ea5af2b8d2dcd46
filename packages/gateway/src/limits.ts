/**
 * Every bound of the Gateway and its reason. A caller may replace single values; see
 * {@link resolveGatewayLimits}.
 */
export interface GatewayLimits {
  /** Longest request target in bytes; then 414. */
  readonly targetBytesMax: number;
  /** Longest start line and header together in bytes; then 431 (or 502 for an answer). */
  readonly headBytesMax: number;
  /** Most header fields of one message; then 431 (or 502). */
  readonly fieldsMax: number;
  /** How long a client may take to send a header, from its first byte on; then 408. */
  readonly headTimeoutMs: number;
  /** How long a kept-alive connection may stay silent between two requests. */
  readonly idleTimeoutMs: number;
  /** How long it may stay silent once the Gateway closes. */
  readonly partingMs: number;
  /** How long a client may refuse to read an answer that is ready for it. */
  readonly stallTimeoutMs: number;
  /** How long a refused client may go on sending before its connection is cut. */
  readonly lingerMs: number;
  /**
   * What a forwarded call gets beyond the route's timeout: the Runner cancels and answers at the
   * timeout itself, and its answer tells more than ours. One that is silent still is stuck.
   */
  readonly answerGraceMs: number;
  /** How long a policy may take to decide about a request; then 503. */
  readonly admissionMs: number;
  /** How long a request that is answered in this process may take to arrive and be answered. */
  readonly receptionMs: number;
  /** Bodies of such requests that are held together; then 503. */
  readonly receptionBytesMax: number;
  /** How often deadlines are looked at, and so how late one can be noticed. */
  readonly sweepMs: number;
  /** Open client connections; further ones are closed at once. */
  readonly connectionsMax: number;
  /** Clients that speak HTTP/2; further ones are closed at once. */
  readonly http2ClientsMax: number;
  /** Streams that one client of HTTP/2 may have open at once; each is a call. */
  readonly streamsMax: number;
  /** Handshakes of TLS in flight; further connections are closed at once. */
  readonly handshakesMax: number;
  /** How long a client may take for its handshake. */
  readonly handshakeTimeoutMs: number;
  /** How much of a body that nobody wants is read so that its connection can be kept. */
  readonly discardBytesMax: number;
  /** Calls parked in the whole Gateway; then 503. */
  readonly queuedMax: number;
  /** Calls parked for one Revision, so that one sleeper cannot take every place; then 503. */
  readonly queuedPerRevisionMax: number;
  /** Calls in flight on one Instance where its route sets no limit: one file descriptor each. */
  readonly inFlightPerEndpointMax: number;
  /** Connections to one Instance being opened at once: below the listen backlog of 511. */
  readonly connectingPerEndpointMax: number;
  /** Idle connections kept to one Instance. */
  readonly idlePerEndpointMax: number;
  /**
   * How long a connection that was opened ahead of its first call may be used: less than the 15 s
   * after which a Runner cuts off who connects and sends no header.
   */
  readonly aheadMs: number;
  /** How often one call is tried in all; see the rule in `exchange.ts`. */
  readonly attemptsMax: number;
  /** How many of the calls that arrive may be sent a second time; see `retry-budget.ts`. */
  readonly retryShare: number;
  /** How many may be in any case, per second and Revision, and how many may be saved up. */
  readonly retriesPerSecond: number;
  readonly retriesSavedMax: number;
  /** How long an Instance that refuses connections is left alone. */
  readonly refusedPauseMs: number;
  /** After so many failures in a row an Instance is left alone for longer; see `health.ts`. */
  readonly failuresMax: number;
  /** How long that is, the first time; it doubles with every time. */
  readonly ejectMs: number;
  /** How long it is at most. */
  readonly ejectMaxMs: number;
  /** How long an Instance that joins others gets less than its share. */
  readonly slowStartMs: number;
  /** Copies of calls that are made or answered at once; calls beyond that have none. */
  readonly mirroredMax: number;
  /** Largest body of a call that is copied: all of it is held until the copy is sent. */
  readonly mirroredBytesMax: number;
  /** Interim (1xx) answers to one request; then 502. */
  readonly interimAnswersMax: number;
}

/** Bounds that follow from how sockets and buffers work, and that nobody replaces. */
export const fixedLimits = {
  /** What a socket mostly takes in one piece: such a first write arrives whole or not at all. */
  atomicWriteBytesMax: 16_384,
  /** Text that waits for the end of a turn, per client connection: one such write. */
  waitingBytesMax: 16_384,
  /** Up to here octets are copied as text, which joins its neighbours; beyond, bytes are cheaper. */
  textBytesMax: 16_384,
  /** Longest head remembered per connection: what browsers and HTTP libraries send stays below. */
  rememberedHeadBytesMax: 1024,
  /** What all sockets of a Gateway are read into: as much as libuv reads at once. */
  readBytesMax: 65_536,
  /**
   * What a client of HTTP/2 may make us keep, in MB: for 128 streams, a window of 64 KiB that came
   * and as much that goes, and their heads.
   */
  sessionMegabytesMax: 32,
  /**
   * Requests over HTTP/2 that a client may take back at once, and per second after that: a page
   * that is left takes back its 128; who does more only makes work (CVE-2023-44487).
   */
  streamResetBurst: 256,
  streamResetsPerSecond: 64,
  /** Certificates ready for use, at some 50 KB each; others are read again when they are needed. */
  certificatesReadyMax: 512,
  /**
   * So many calls in a second are many: a collection that finds hundreds of them under way costs
   * more than they do, and of fewer calls there are no hundreds. There have to be fewer for so long
   * until they are not many any more.
   */
  busyCallsPerSecond: 1_000,
  quietSeconds: 10,
} as const;

const defaults: GatewayLimits = {
  // What browsers, CDNs and nginx agree on.
  targetBytesMax: 8 * 1024,
  headBytesMax: 32 * 1024,
  fieldsMax: 128,
  headTimeoutMs: 15_000,
  // Longer than the 60 s of common load balancers: they, not we, should close first.
  idleTimeoutMs: 75_000,
  // A round trip around the world: what was sent before the end was known is here by then.
  partingMs: 300,
  stallTimeoutMs: 60_000,
  lingerMs: 2_000,
  answerGraceMs: 750,
  // A policy may have to fetch the keys of an issuer first; a client waits no longer for that.
  admissionMs: 10_000,
  // A megabyte over the slowest mobile connection.
  receptionMs: 60_000,
  receptionBytesMax: 64 * 1024 * 1024,
  sweepMs: 100,
  connectionsMax: 10_000,
  // Some 35 KB each, ten times what one of HTTP/1.1 takes.
  http2ClientsMax: 2_000,
  // What nginx allows.
  streamsMax: 128,
  // About a second of work: who comes later would wait in vain.
  handshakesMax: 1_000,
  // A few round trips.
  handshakeTimeoutMs: 10_000,
  // One read of a socket.
  discardBytesMax: 64 * 1024,
  // Knative's activator holds 10 000; a parked call costs about 2 KB here.
  queuedMax: 10_000,
  queuedPerRevisionMax: 1_000,
  inFlightPerEndpointMax: 1_000,
  connectingPerEndpointMax: 256,
  // As many as calls may be in flight: with fewer, each wave of calls opens and closes the rest anew.
  idlePerEndpointMax: 1_000,
  aheadMs: 10_000,
  attemptsMax: 3,
  // An executor notices the end of a process within a few milliseconds.
  refusedPauseMs: 200,
  // Finagle's and Linkerd's: a fifth more load is bearable, ten calls are no storm.
  retryShare: 0.2,
  retriesPerSecond: 10,
  retriesSavedMax: 1_000,
  // Envoy's five in a row. Its 30 s are for machines; whoever starts and ends processes is quicker.
  failuresMax: 5,
  ejectMs: 5_000,
  ejectMaxMs: 60_000,
  // What it takes until the code that calls run through is compiled.
  slowStartMs: 3_000,
  // With the largest bodies 6 MB, and a tenth of what may wait for one Revision.
  mirroredMax: 100,
  mirroredBytesMax: 64 * 1024,
  interimAnswersMax: 16,
};

/** The limits with what `overrides` replaces. */
export function resolveGatewayLimits(overrides: Partial<GatewayLimits> = {}): GatewayLimits {
  return { ...defaults, ...overrides };
}
