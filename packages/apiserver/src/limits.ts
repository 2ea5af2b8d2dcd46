/** Larger request bodies are refused with 413; what kube-apiserver allows (3 MiB). */
export const bodyBytesMax: number = 3 * 1024 * 1024;

/** Deeper JSON is refused: the walkers recurse, and no honest object nests this far. */
export const bodyDepthMax = 1000;

/**
 * A body with more values is refused with 413. Each costs some 30 µs until it is applied, and the
 * steps of that are some 5 µs, in one turn of the loop. The largest definitions that people apply
 * have some 25 000 values, and few objects with more fit into `objectBytesMax` with their owners.
 */
export const bodyValuesMax = 40_000;

/**
 * A body in YAML with more tokens is not parsed, which costs far more than in JSON: five to seven
 * make a value.
 */
export const yamlTokensMax = 240_000;

/** Anchors and aliases of one body in YAML: each alias may be looked for in the whole document. */
export const yamlReferencesMax = 250;

/**
 * Smaller bodies in YAML are read at once, for 20 ms at most unless they abound in aliases; larger
 * ones in a thread of their own, which costs 30 ms and 15 MB while it lives. Programs send JSON;
 * YAML comes from people with curl.
 */
export const smallYamlBytesMax: number = 8 * 1024;
export const smallYamlReferencesMax = 50;

/** Large bodies in YAML that may wait for the thread, and the heap that it may use for one. */
export const largeYamlWaitingMax = 20;
export const largeYamlHeapMegabytes = 256;

/** So many duplicate and unknown fields are told of one body (sigs.k8s.io/json: 100). */
export const complaintsMax = 100;

/** A message shows this much of a path: 100 of a body with keys of a megabyte would be as many. */
export const pathCharactersMax = 2000;

/**
 * How often a change is made again because another write came between. kube-apiserver tries for
 * ever beneath its storage; each try here means that somebody else got on, so this is generous.
 */
export const updateTriesMax = 100;

/** How often a new `generateName` suffix is tried (kube-apiserver since 1.30: 8). */
export const generateNameTriesMax = 8;

/** Field managers with longer names are refused (apimachinery, metav1 validation). */
export const fieldManagerBytesMax = 128;

/** A watch without `timeoutSeconds` lives once to twice this long (kube-apiserver: 1800 s). */
export const watchTimeoutMs: number = 30 * 60_000;

/** How often a quiet watch tells its client the current resourceVersion (KEP-956: a minute). */
export const bookmarkIntervalMs = 60_000;

/** A last bookmark goes out this long before a watch ends, so that the next starts recent. */
export const lastBookmarkMs = 2000;

/** Objects are read from the store in pages of this size when a selector must look at all. */
export const scanPageMax = 500;

/** Events are deleted this long after their last write (kube-apiserver --event-ttl: 1 h). */
export const eventTtlMs: number = 60 * 60_000;

/** How often expired Events are looked for: they may overstay by this much. */
export const eventSweepIntervalMs = 60_000;

/** First and longest wait before a controller tries a failed key again. */
export const retryBaseMs = 10;
export const retryCapMs = 5000;

/**
 * A connection that has not finished its TLS handshake by then is cut; Node's own 120 s would let
 * silent clients hold their sockets. An HTTP/1.1 request then has Node's 60 s for its headers and
 * 300 s in all.
 */
export const handshakeTimeoutMs = 10_000;

/**
 * What the answers of one HTTP/2 connection may hold in memory. A Go client sends all its watches
 * and lists through one; with Node's own 10 MB new requests were refused (ENHANCE_YOUR_CALM) while
 * a few objects of 3 MiB were on their way.
 */
export const sessionMegabytesMax = 256;

/**
 * A refusal names this many errors: a body of 3 MiB has room for a million, each of which would be
 * told twice in the answer.
 */
export const validationErrorsMax = 1000;

/** Smaller answers are never compressed (kube-apiserver, writers.go: 128 KiB). */
export const gzipBytesMin: number = 128 * 1024;

/** A message shows this much of a patched object; larger ones would bury the reason. */
export const shownObjectCharactersMax = 1500;

/** How long a closing server waits for answers in flight before it cuts them. */
export const closeGraceMs = 2000;

/** The server certificate is renewed when less than this is left of it. */
export const certificateRenewMs: number = 30 * 24 * 3_600_000;

/** How long the authority and the server certificate are valid. */
export const authorityLifeMs: number = 10 * 365 * 24 * 3_600_000;
export const certificateLifeMs: number = 365 * 24 * 3_600_000;

/** Events that wait for a slow watch client; beyond it the client gets 410 and lists again. */
export const watchQueueMax = 10_000;

/** Watches that are handed their events in one turn of the loop: some 5 ms of work. */
export const wakesPerTurnMax = 100;

/**
 * How long watches over HTTP rest after so many were woken at once, so that the next share records
 * and system calls: events that leave eight together cost twice as much each as 32. Events that
 * come one by one never wait; no other waits longer than an event may take (99th percentile).
 */
export const restMsPerWake = 0.5;
export const restMsMax = 5;

/**
 * So many watches that are woken in a second are many: the garbage of fewer costs little. It has to
 * be less for so long until it is not much any more.
 */
export const busyWakesPerSecond = 200;
export const quietSeconds = 10;

/** Objects of the initial state that a watch sends at once: some 100 kB. */
export const initialEventsMax = 100;

/**
 * After a body of more bytes is read, and after it is made an object, others get the thread: each
 * takes some 50 ms for the most values that a body may have, and a millisecond for so many bytes.
 */
export const largeBodyBytes: number = 128 * 1024;

/** Work on one object gives up the thread after so long, when it next can. */
export const turnMs = 10;

/**
 * An update that came too late so often is made in one turn: while a large object is worked on,
 * somebody who writes a small thing to it all the time would win for ever.
 */
export const sharedTriesMax = 3;

/** Larger objects are not stored: what etcd takes (--max-request-bytes, 1.5 MiB). */
export const objectBytesMax: number = 1536 * 1024;

/** Objects that are read in one turn of the loop when all are read: some 5 ms of work. */
export const turnObjectsMax = 250;

/** One control frame of SPDY; the headers of a stream of Kubernetes have some 100 bytes. */
export const spdyControlBytesMax: number = 16 * 1024;

/** The headers of one SPDY stream, decompressed: a compressed bomb ends here. */
export const spdyHeaderBytesMax: number = 64 * 1024;
export const spdyHeadersMax = 100;

/** Streams open at once on one SPDY connection: a forwarded port has two per TCP connection. */
export const spdyStreamsMax = 2000;

/** Answers to control frames that may wait for a client that does not read, before it is not read. */
export const unsentControlBytesMax: number = 64 * 1024;

/** How long a client may take to open the streams that belong together (kubelet: 30 s). */
export const streamCreationMs = 30_000;

/** How long a client may take to end the connection after the goodbye of an exec. */
export const streamFarewellMs = 5000;

/** Connections for exec, attach and portforward at once: each may cost a process. */
export const streamSessionsMax = 200;

/** Such a connection on which nothing comes or goes for so long is cut (kubelet: 4 h). */
export const streamIdleMs: number = 4 * 3_600_000;

/** When TCP begins to ask a silent peer whether it is still there. */
export const streamKeepAliveMs = 30_000;

/** Ports of one port-forward over WebSocket channels: two channels each, of 255. */
export const forwardedPortsMax = 100;

/** A terminal size that goes on for longer is none. */
export const terminalSizeBytesMax = 256;

/** How long a token of a ServiceAccount is good, unless asked otherwise, and at least and at most. */
export const tokenLifeSeconds = 3600;
export const tokenLifeMinSeconds = 600;
export const tokenLifeMaxSeconds: number = 2 ** 32;

/** Longer bearer tokens are not looked at; those that this server makes have some 1000 bytes. */
export const tokenBytesMax: number = 16 * 1024;

/** So many tokens with a good signature are remembered, some 2 kB each; others are verified anew. */
export const verifiedTokensMax = 1000;

/**
 * A longer answer of a webhook counts as none: room for a patch, in base64, of the largest object
 * that a body can hold.
 */
export const webhookAnswerBytesMax: number = 8 * 1024 * 1024;

/** So many warnings of one webhook are handed on, and so much of each (apiserver: 4096 bytes in all). */
export const admissionWarningsMax = 20;
export const warningCharactersMax = 256;

/** How long a conversion webhook may take (apiextensions: 30 s), and how many objects it gets at once. */
export const conversionTimeoutMs = 30_000;
export const conversionBatchMax = 500;

/**
 * So many numbers of Services are not given out again while the write that they were given to may
 * be under way; more than writes are at once, fewer than node ports.
 */
export const promisedNumbersMax = 500;

/**
 * How far a rule is carried by ClusterRoles that gather those of others before one turn of the loop
 * leaves the rest to their controller. The default roles gather in three steps: view, edit, admin.
 */
export const aggregationPassesMax = 10;

/**
 * What the expressions of one policy may cost for one request (apiserver: RuntimeCELCostBudget,
 * about a second), and the conditions of one webhook or policy
 * (RuntimeCELCostBudgetMatchConditions).
 */
export const policyCostMax = 10_000_000;
export const conditionsCostMax = 2_500_000;

/** Bytes that a messageExpression may give (MaxEvaluatedMessageExpressionSizeBytes). */
export const messageBytesMax = 5120;
