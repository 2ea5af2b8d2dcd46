/** The request beneath an event: Node's IncomingMessage, with these members as Express has them. */
export interface EventRequest {
  readonly method?: string | undefined;
  /** Path and query. */
  readonly url?: string | undefined;
  readonly originalUrl: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As `event.data`; for a CloudEvent in structured mode the whole envelope. */
  readonly body: unknown;
  readonly hostname: string;
  readonly protocol: string;
  readonly secure: boolean;
  readonly ip: string | undefined;
  get(name: string): string | readonly string[] | undefined;
}

/** The response beneath an event: Node's ServerResponse, with these members as Express has them. */
export interface EventResponse {
  statusCode: number;
  readonly headersSent: boolean;
  status(status: number): EventResponse;
  set(name: string, value: string | readonly string[]): EventResponse;
  append(name: string, value: string | readonly string[]): EventResponse;
  get(name: string): string | number | readonly string[] | undefined;
  /** `json`, `html`, `text` and other short names, or a media type. */
  type(type: string): EventResponse;
  /** Answers: text and bytes as they are, other values as JSON. */
  send(body?: unknown): EventResponse;
  json(body: unknown): EventResponse;
  sendStatus(status: number): EventResponse;
  redirect(url: string): EventResponse;
  redirect(status: number, url: string): EventResponse;
  write(chunk: string | Uint8Array): boolean;
  end(chunk?: string | Uint8Array): EventResponse;
}
