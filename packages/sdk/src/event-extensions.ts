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
  readonly xhr: boolean;
  get(name: string): string | readonly string[] | undefined;
  /** The first of these types that the body has; false when it has another, null without a body. */
  is(...types: readonly string[]): string | false | null;
  /** The type that the caller likes best; false when it accepts none of them. */
  accepts(...types: readonly string[]): string | false | readonly string[];
}

/** The response beneath an event: Node's ServerResponse, with these members as Express has them. */
export interface EventResponse {
  statusCode: number;
  readonly headersSent: boolean;
  status(status: number): EventResponse;
  set(name: string, value: string | number | readonly string[]): EventResponse;
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
  location(url: string): EventResponse;
  vary(field: string | readonly string[]): EventResponse;
  cookie(name: string, value: unknown, options?: object): EventResponse;
  clearCookie(name: string, options?: object): EventResponse;
  /** A download of this name. */
  attachment(file?: string): EventResponse;
  sendFile(path: string, options?: { readonly root: string }): EventResponse;
  write(chunk: string | Uint8Array): boolean;
  end(chunk?: string | Uint8Array): EventResponse;
}
