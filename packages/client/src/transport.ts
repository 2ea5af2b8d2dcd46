/** One request to a Kubernetes API, as a value. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute URL path, already encoded, without query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A JSON value, or octets that are sent as they are; either as `contentType`. */
  readonly body?: unknown;
  /** Default `application/json`; patches name their type. */
  readonly contentType?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An answer. Exactly one of the body readers may be called, once. */
export interface TransportResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body as one JSON value. Treat it as frozen: in process it may be shared. */
  json(): Promise<unknown>;
  /** A body of JSON documents, one by one as they arrive (watches). */
  documents(): AsyncIterable<unknown>;
  /** The body as it arrives (logs). */
  bytes(): AsyncIterable<Uint8Array>;
  /**
   * The body in chunks that are gone when the next one is asked for. It is there where the body
   * comes as JSON text: whoever needs only parts of it does well to scan it. In process the values
   * are there already, and the other readers cost nothing.
   */
  readonly chunks?: (() => AsyncIterable<Uint8Array>) | undefined;
}

/**
 * The only way from a client to an API: over HTTPS to any cluster, or straight into the embedded
 * API in the same process. Both pass the same contract suite.
 *
 * A request that got no answer rejects with `TransportError` (`Unreachable`, `Aborted`,
 * `Interrupted`); an answer of any status resolves.
 */
export interface Transport extends AsyncDisposable {
  request(request: TransportRequest): Promise<TransportResponse>;
  close(): Promise<void>;
}
