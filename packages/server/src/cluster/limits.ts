/** Every bound of this folder, each with its reason. Times are milliseconds, sizes bytes. */

/** What a ConfigMap holds (core/v1, 1 MiB), less what JSON and metadata take. */
export const programBytesMax: number = 960 * 1024;

/** One line between controller and Gateway: all routes of 10 000 Functions come in several. */
export const fleetLineCharactersMax: number = 8 * 1024 * 1024;

/** Routes in one line of the first picture. */
export const routesInLineMax = 500;

/** A Gateway that connects has said who it is by then. */
export const fleetHelloMs = 10_000;

/** Asking the API whose a token is. */
export const fleetReviewMs = 10_000;

/** A Gateway that takes in less than it is told, by so much, is cut off and begins anew. */
export const fleetBacklogBytesMax: number = 64 * 1024 * 1024;

/** A connection whose other end vanished without a word is noticed after this. */
export const fleetKeepAliveMs = 5_000;

/** What a Gateway passes on, or is answered: the largest body that is taken, and what is said of it. */
export const relayBytesMax: number = 8 * 1024 * 1024;

/** A request that brings events of a custom source, as Triggers take it. */
export const eventSinkBytesMax: number = 4 * 1024 * 1024;

/** What the controller holds of such requests at once: a part of its memory. */
export const relayHeldBytesMax: number = 64 * 1024 * 1024;

/** Connections on which a Gateway passes requests on; more wait for one of them. */
export const relayConnectionsMax = 64;

/** How long a request waits for a controller that leads: senders of webhooks wait for ten seconds. */
export const relayWaitMs = 5_000;
export const relayRetryMs = 100;

/** Events are kept, or refused, within 10 s; this is for a controller that hangs. */
export const relayAnswerMs = 30_000;

/** Characters of the key that a Gateway shows with such requests, of 27 kinds: 190 bits. */
export const relayKeyCharacters = 40;

/** Who does not lead any more ends calls for later by then: sooner than another one may lead. */
export const callsGraceMs = 2_000;

/** Gateways are told of other routes after this, also where a log cannot be opened. */
export const brokersStartMs = 10_000;

/** Between two tries to take up Brokers, whose log may be out of reach. */
export const brokersRetry = { baseMs: 500, capMs: 15_000 } as const;

/** Between two looks whether the API serves kinds of another system: somebody installs them once. */
export const systemsLookMs = 10_000;

/** Neither side is silent for longer: what says nothing for six times that is gone. */
export const fleetBeatMs = 1_000;
export const fleetSilenceMs = 6_000;

/**
 * A Gateway that has heard nothing for so long may be the last to know of a Function. It is shorter
 * than another controller needs to lead in the place of one whose node is lost.
 */
export const fleetDoubtMs = 2_500;

/** Between two looks at the address of the controller: without it nobody new finds it. */
export const addressLookMs = 5_000;

/** Between two tries of a Gateway to reach the controller that leads. */
export const fleetRetryBaseMs = 50;
export const fleetRetryCapMs = 1_000;

/** What a Gateway measured is told so often while it changes: scaling looks once a second. */
export const demandReportMs = 200;

/** More calls that wait for a Revision that is awake are told of together, within this. */
export const demandSoonMs = 20;

/** What became of calls is told so often where canaries are judged: they are each second. */
export const observationReportMs = 1_000;

/** How much longer than the calls of an Instance may take the controller waits for word of them. */
export const drainMarginMs = 1_000;

/** Between two looks for what an installation still lacks. */
export const awaitKindsMs = 1_000;

/** The installed definitions are told of as missing after this. */
export const kindsComplaintMs = 10_000;

/** A port that a controller which ended held is free again by then. */
export const portRetryMs = 200;
export const portTriesMax = 100;

/** Warm Pods of a runtime in a namespace: the first is there for the first wake. */
export const podPool = { min: 1, max: 20 } as const;

/** What a Pod without code asks for: a Node that runs nothing has 45 MB. */
export const warmPodRequests = { cpu: '10m', memory: '64Mi' } as const;

/**
 * Instances that a new controller does not speak of are called for so long: it takes over those
 * that come back to it, and ends the others after a minute.
 */
export const unconfirmedMs = 40_000;

/** Programs of Runners of earlier releases are looked for so often. */
export const programSweepMs = 600_000;

/** An Instance that takes few calls at a time stays with a Gateway for so long: it has a turn. */
export const shareHoldMs = 100;

/** A Gateway that is gone while it had calls under way may go on with them for so long. */
export const shareLostMs = 15_000;

/** What would never end, as WebSockets, ends within this where calls wait elsewhere. */
export const shareMoveMs = 30_000;

/** Nodes come in numbers, and each with its labels: Gateways are told once of all. */
export const zoneSettleMs = 200;

/** Which Node a Gateway runs on is not worth more time of its connection. */
export const podLookMs = 2_000;

/** Between two looks whether Nodes may be watched: a role is changed by hand. */
export const nodeRightsLookMs = 60_000;

/** A steady load is seen in full after a window of 6 s; a replica that begins to lead knows none. */
export const metricsWarmMs = 8_000;
