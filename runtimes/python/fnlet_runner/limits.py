"""Bounds of one Runner, each with its reason. Times are seconds, sizes bytes."""

# Request line and headers; beyond that 431. As the Node Runner: cookies and tokens grow.
HEADER_BYTES_MAX = 32_768
# A client that sends its headers more slowly than this is cut off (slow loris).
HEADER_SECONDS = 15.0
# Longer than the Gateway keeps an idle connection, so that only the Gateway closes them.
KEEP_ALIVE_SECONDS = 75.0
# How often open connections are looked at for the two above.
SWEEP_SECONDS = 5.0
# How long, and how much of, a refused body is still read so that the client sees the answer.
REFUSED_BODY_SECONDS = 10.0
REFUSED_BODY_BYTES_MAX = 33_554_432
# Line of a chunk's size, with extensions, and trailers after the last chunk.
CHUNK_LINE_BYTES_MAX = 4_096
TRAILER_BYTES_MAX = 8_192
# What a client may send ahead of its answer; then it is no longer read from.
PIPELINED_BYTES_MAX = 65_536
# What a request body may be ahead of the app that takes it as it comes.
UNREAD_BYTES_MAX = 65_536
# What an answer may be ahead of its reader; then whoever makes it waits.
UNSENT_BYTES_MAX = 65_536
# A message of a WebSocket (as much as uvicorn takes), and how long a close may go unanswered.
WEBSOCKET_MESSAGE_BYTES_MAX = 16_777_216
WEBSOCKET_CLOSE_SECONDS = 5.0
# Names of headers that are remembered in lower case: more than anybody sends in earnest.
HEADER_NAMES_MAX = 512

# Calls that wait for the code to be loaded: the Gateway sends one ahead, others are strays.
HELD_CALLS_MAX = 16
# Threads that run handlers: somewhat more than the 50 of Kyma's server; they start as needed.
THREADS_MAX = 64
# Calls that wait for a thread; beyond that 503, for somebody else may have one.
WAITING_CALLS_MAX = 1_024
# Threads that were told to stop and did not; with more of them the Instance is replaced.
STUCK_THREADS_MAX = 16

# Longest line on the control channel: an environment of large Secrets fits.
CONTROL_LINE_BYTES_MAX = 33_554_432
# Longest line of the log; a longer one is cut into several.
LOG_LINE_CHARACTERS_MAX = 65_536
# Turns of the loop that a drain waits for connections that the kernel holds.
DRAIN_TURNS_MAX = 64
# After too many stuck threads: how long the calls in flight may go on before the exit.
CRASH_DRAIN_SECONDS = 2.0
# Names of Services that are remembered, how long, how long where nobody answers (whoever tries
# again soon waits for just that to change), and how long the Gateway may take to tell.
SERVICE_NAMES_MAX = 256
SERVICE_NAME_SECONDS = 5.0
SERVICE_REFUSED_SECONDS = 0.25
SERVICE_ASK_SECONDS = 2.0
# Services that have an address of their own in code that resolves names itself, 300 bytes each.
STAND_INS_MAX = 1_024
# How long an ASGI app may take to end its lifespan.
LIFESPAN_SECONDS = 5.0
# Spans that wait to be sent (as many as OpenTelemetry's own exporters keep), and of one request.
SPANS_MAX = 2_048
SPAN_BATCH_MAX = 512
# How long a span waits for others to be sent with: short, for an Instance may sleep soon.
SPAN_DELAY_SECONDS = 1.0
# After that the collector is given up for this batch.
SPAN_REQUEST_SECONDS = 10.0
# How long the end of an Instance waits for its last spans.
SPAN_FLUSH_SECONDS = 1.0
# How often at most the log says that spans are lost.
SPAN_COMPLAINT_SECONDS = 60.0
# Attributes, events and links of a span, each (OpenTelemetry's default); characters of a text.
SPAN_PARTS_MAX = 128
SPAN_TEXT_MAX = 8_192
# Parts of one multipart body, so that it cannot be nothing but parts.
FORM_PARTS_MAX = 1_000

# Unpacked files of one archive in a Pod: more than the largest packages that Lambda takes
# (250 MB); large trees of packages have some 100 000 files. How much is read at a time.
POD_FILES_BYTES_MAX = 2_147_483_648
POD_FILES_MAX = 1_000_000
POD_READ_BYTES = 65_536
# How long the owner of a Pod may be silent before it has answered, and while it is said goodbye.
OWNER_SILENCE_SECONDS = 30.0
OWNER_GOODBYE_SECONDS = 1.0
# How soon a Runner in a Pod connects again; it doubles with every failure in a row. A controller
# that comes back finds its Runners within seconds.
RECONNECT_SECONDS = 0.1
RECONNECT_SECONDS_MAX = 5.0
# An owner that vanished without a word is noticed after a minute.
KEEP_ALIVE_PROBE_SECONDS = 15
KEEP_ALIVE_PROBES = 3
