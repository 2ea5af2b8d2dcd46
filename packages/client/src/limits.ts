/** The bounds of the client, each with its reason. */
export const limits = {
  /** Bytes of one answer: a page of 500 objects of 128 kB; larger lists come in more pages. */
  bodyBytesMax: 67_108_864,
  /** Bytes of one JSON line: etcd takes 1.5 MiB a request, JSON escapes may multiply it. */
  lineBytesMax: 8_388_608,
  /** Bytes of a list around its items: kind, versions, the token of the next page. */
  envelopeBytesMax: 65_536,
  /** Levels of a document whose parts are picked out; schemas of CRDs have less than 100. */
  nestingMax: 1_000,
  /** Texts and names of which one copy serves all objects that are read from a stream (log2). */
  pooledTextsLog2: 12,
  pooledNamesLog2: 10,
  /** Characters of such a text; longer ones are rarely said twice. */
  pooledTextMax: 64,
  /** Bytes that are read of a failed answer; a Status with a hundred causes has 20 kB. */
  failureBytesMax: 1_048_576,
  /** Characters of a failed answer that is not a Status, quoted in the error. */
  failureQuoteMax: 500,
  /** How often one request is tried when the server says 429 or 503 with Retry-After. */
  triesMax: 4,
  /** The longest Retry-After that a request waits for; a longer one is the caller's to decide. */
  retryAfterMaxMs: 30_000,
  /** Connections per transport. A watch holds one; 20 kinds in 10 namespaces leave room. */
  connectionsMax: 256,
  /**
   * Client certificates whose connections live side by side: plugins that change them do so after
   * longer than a watch lives, so what runs over the fourth oldest has ended.
   */
  agentsMax: 4,
  /** What one connection reads at a time; TLS has records of 16 kB. */
  readBufferBytes: 65_536,
  /** Chunks of an answer that wait for their reader before the connection is held up. */
  chunksWaitingMax: 16,
  /** Time to connect, TLS included. */
  connectTimeoutMs: 10_000,
  /** Time to the first byte of an answer, and between two: the server's own limit is 60 s. */
  answerTimeoutMs: 65_000,
  /** Time for an API that calls back to send its whole request: it gives up after 30 s. */
  callbackTimeoutMs: 30_000,
  /** How long an idle connection is kept; load balancers cut after a minute or more. */
  keepAliveMs: 30_000,
  /** How old a token from a file may be: the kubelet renews it long before it expires. */
  tokenAgeMaxMs: 60_000,
  /** How long a credential plugin may take; some ask a server far away. */
  execTimeoutMs: 60_000,
  /** Bytes that a credential plugin may print; a chain of certificates has 10 kB. */
  execOutputMax: 1_048_576,
  /** How long it is believed what an API serves; kinds are defined by hand, and rarely. */
  discoveryAgeMaxMs: 600_000,
  /** Objects in one page of a list (kube-rs, kubectl). */
  pageSize: 500,
  /** The server ends a watch after 5 to 10 minutes, at random so that watches spread (client-go). */
  watchTimeoutMinSeconds: 300,
  watchTimeoutMaxSeconds: 600,
  /** How long after its announced end a watch counts as dead. */
  watchEndGraceMs: 30_000,
  /** Silence after which a watch with bookmarks counts as dead; they come about every minute. */
  bookmarkSilenceMaxMs: 90_000,
  /** Silence while the initial events are awaited, after which the watcher lists instead. */
  initialSilenceMaxMs: 60_000,
  /** How often initial events may be cut short before the watcher lists instead. */
  streamTriesMax: 3,
  /** A watch that lived so long starts its backoff from the beginning again (client-go). */
  healthyAfterMs: 120_000,
  /** A watch that ends within this time without an event is a failure (client-go). */
  shortWatchMs: 1_000,
  /** Objects that are weighed to estimate what all of a cache take; a scrape should not be felt. */
  statsSampleMax: 100,
  /** An API establishes a definition within milliseconds; the rest is for one that is busy. */
  crdEstablishedMs: 10_000,
  /** How soon to look whether it has, then less and less often. Starts wait for it, so soon. */
  crdPollMs: 1,
  crdPollMaxMs: 250,
  /** Delays between tries of a watcher (client-go's reflector). */
  backoffBaseMs: 800,
  backoffCapMs: 30_000,
} as const;
