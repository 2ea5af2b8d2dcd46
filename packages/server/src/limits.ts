/**
 * How long a stop waits for calls in flight: less than the 30 s after which Kubernetes kills. Who
 * does not want to wait presses Ctrl-C again.
 */
export const gatewayGraceMs = 25_000;

/** How long Instances may finish what the Gateway did not wait for (background work, logs). */
export const instancesGraceMs = 2000;

/** As GitHub has it for what it sends; the others send less. */
export const webhookBytesMax: number = 25 * 1024 * 1024;

/** A webhook is answered before anything is fetched; servers give up after ten seconds. */
export const webhookTimeoutMs = 10_000;

/** What AWS Lambda takes for an asynchronous invocation; whoever sends more sends a link. */
export const asyncBodyBytesMax: number = 1024 * 1024;

/** Calls in one list: as many objects as kubectl asks for at once. */
export const callsListMax = 500;

/** What is told of events that came before somebody watches them: what fits on some screens. */
export const eventHistoryMax = 1_000;

/** Dead letters in one list: as many as calls; their answers are a kilobyte each. */
export const deadLettersListMax = 500;

/** Dead letters a second: a replay is asked for in parts of 20 s, and each begins with one at once. */
export const replayRateMin = 0.1;

/**
 * The steps between a handshake, a request and its answer: longer than a client computes between
 * two of them, and too short to be noticed where a start waits for nothing.
 */
export const callersQuietMs = 10;

/** What a start may have to wait for callers of the API, however many there are: a third of it. */
export const callersWaitMsMax = 100;

/** A start and the first requests after it are over by then, also on a slow machine. */
export const kindsCheckMs = 2000;

/** Who changes definitions all the time has them looked at by the next start, too. */
export const kindsLooksMax = 5;

/** Certificates that the Gateway makes for itself: at most what is good practice in public. */
export const gatewayCertificateLifeMs: number = 90 * 24 * 3_600_000;

/** One with less time left is made anew at the next handshake. */
export const gatewayCertificateRenewMs: number = 30 * 24 * 3_600_000;

/** Hosts that have such a certificate, some 3 KB each; the one unused for longest goes first. */
export const gatewayCertificatesMax = 512;

/** Certificates being made at once, a millisecond each: so many handshakes cost no more than that. */
export const gatewayCertificatesInWorkMax = 16;

/** Endpoints of a Service that a Runner is told, to choose from: more than one machine carries. */
export const serviceEndpointsMax = 100;

/** Slices of a Service that are read for that; each holds at least one endpoint. */
export const serviceSlicesMax = 100;

/** Services of type ExternalName that lead to each other: as many as resolvers follow CNAMEs. */
export const serviceAliasesMax = 8;

/** How long Fnlet itself goes by what a name of a Service led to: as long as a wake may take. */
export const servicePlaceMs = 2_000;

/** Services that this is known of; more than that are asked about anew. */
export const servicePlacesMax = 1_000;

/** How long the Gateway, in the same process, may take to say it. */
export const serviceAskMs = 5_000;

/** What it says: a hundred endpoints. */
export const serviceAnswerBytesMax = 65_536;

/** Spans of the Gateway that wait to be sent: some megabytes. Those of a second, beside the calls. */
export const spansMax = 8192;

/** Spans in one request: some hundred kilobytes, as collectors take them by default. */
export const spanBatchMax = 512;

/** As long as spans wait for others, as in the SDKs of OpenTelemetry at most five times. */
export const spanDelayMs = 1000;

/** What a collector may take for one request; the end of Fnlet waits for as much. */
export const spanRequestMs = 2000;

/** So often the log says that spans are dropped. */
export const spanComplaintMs = 60_000;

/** One request that publishes events of Kyma, as one that brings events to a Broker. */
export const kymaEventBytesMax = 4_194_304;

/** How long whoever asks for a health page may take to send the request: it has no body. */
export const healthRequestMs = 10_000;

/** How long after the start its garbage is collected: no one waits for an answer then, mostly. */
export const startSettledMs = 500;

/** A run that is replayed: API servers give up a request after a minute. */
export const replayTimeoutMs = 50_000;
export const replayAnswerBytesMax: number = 4 * 1024 * 1024;

/**
 * So many Instances that come or go in a second are many: each is some writes to the API, of its
 * Pod and the status of its Function, and the last call of a wave waits for the collection of their
 * garbage. There have to be fewer for so long until they are not many any more.
 */
export const busyInstancesPerSecond = 10;
export const instancesQuietSeconds = 10;
