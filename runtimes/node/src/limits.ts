/** Bounds of one Runner, each with its reason. */
export const limits = {
  /** Request line and headers; beyond that 431. Twice Node's default: cookies and tokens grow. */
  headerBytesMax: 32_768,
  /** A client that sends its headers more slowly than this is cut off (slow loris). */
  headersTimeoutMs: 15_000,
  /** Longer than the Gateway keeps an idle connection, so that only the Gateway closes them. */
  keepAliveTimeoutMs: 75_000,
  /** Calls that wait for the code to be loaded: the Gateway sends one ahead, others are strays. */
  heldCallsMax: 16,
  /** How much of a refused body is still read so that the client gets to see the 413. */
  refusedBodyBytesMax: 33_554_432,
  /** Fields of a form that are read: as many as Express reads. */
  formFieldsMax: 1_000,
  /** Names within names in a form, `a[b][c]`: as deep as Express goes. */
  formDepthMax: 5,
  /** Longest time that a timer of Node counts; a longer one would fire at once. */
  timerMsMax: 2_147_483_647,
  /** Longest line on the control channel: an environment of large Secrets fits. */
  controlLineCharactersMax: 33_554_432,
  /** Longest line of the log; a longer one is cut into several. */
  logLineCharactersMax: 65_536,
  /**
   * Turns of the event loop that a drain waits for connections: more than a listen backlog of 511
   * needs, so that whoever keeps connecting to the TCP port cannot put off the end.
   */
  drainTurnsMax: 1_024,
  /** After an uncaught exception: how long the calls in flight may go on before the exit. */
  crashDrainMs: 2_000,
  /** Where the limit is lower, garbage alone (200 MB, measured) could take an Instance over it. */
  smallMemoryBytes: 402_653_184,
  /** How long it is taken for granted what the name of a Service leads to, and that it is none. */
  serviceNameMs: 5_000,
  /** How long, that nobody answers there: whoever tries again soon waits for just that to change. */
  serviceRefusedMs: 250,
  /** How long the Gateway may take to tell: it is on this machine. */
  serviceAskMs: 2_000,
  serviceNamesMax: 256,
  /** Services that have an address of their own in code that resolves names itself, 200 bytes each. */
  standInsMax: 1_024,
  /** Spans that wait to be sent; as many as OpenTelemetry's own exporters keep. */
  spansMax: 2_048,
  /** Spans of one request to the collector. */
  spanBatchMax: 512,
  /** How long a span waits for others to be sent with: short, for an Instance may sleep soon. */
  spanDelayMs: 1_000,
  /** After that the collector is given up for this batch. */
  spanRequestMs: 10_000,
  /** How long the end of an Instance waits for its last spans. */
  spanFlushMs: 1_000,
  /** How often at most the log says that spans are lost. */
  spanComplaintMs: 60_000,
  /** Attributes, events and links of a span, each: OpenTelemetry's default. */
  spanPartsMax: 128,
  /** Characters of a text in a span: a stack fits. */
  spanTextMax: 8_192,
  /** Unpacked files of one archive: more than the largest packages that Lambda takes (250 MB). */
  podFilesBytesMax: 2_147_483_648,
  /** Large trees of packages have some 100 000 files. */
  podFilesMax: 1_000_000,
  /** An extended header of a tar archive holds a path or two. */
  tarRecordsBytesMax: 65_536,
  /** How long an owner may be silent before it has answered. */
  ownerSilenceMs: 30_000,
  /** A connection to an owner is idle for hours; after this the kernel asks whether it is there. */
  ownerKeepAliveMs: 15_000,
  /** How soon a Runner in a Pod connects again; it doubles with every failure in a row. */
  reconnectMs: 100,
  /** A controller that comes back finds its Runners within seconds. */
  reconnectMaxMs: 5_000,
  /** How long after it got ready a Runner writes what it compiled to the compile cache. */
  cacheFlushDelayMs: 1_000,
} as const;
