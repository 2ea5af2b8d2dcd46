import type { Duplex } from 'node:stream';
import type { EventBatches } from './event-batches.ts';
import { type JsonDocument, toDocument } from './json-document.ts';

/** Who asks (authentication.k8s.io/v1 UserInfo). */
export interface User {
  readonly name: string;
  /** Tells users of one name apart over time; users from outside the API have none. */
  readonly uid?: string;
  readonly groups: readonly string[];
  /** What else the one who authenticated the user knows, by lower-case key. Default: nothing. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A body as it came over the wire, or as a JSON value from a caller in this process. */
export type ApiRequestBody =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'value'; readonly value: unknown };

/** One request, as a value: independent of the connection that it came over. */
export interface ApiRequest {
  readonly method: string;
  /** Absolute URL path, percent-encoded, without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The query as it was written, without its question mark. Default: `query`, written anew. */
  readonly search?: string;
  /**
   * Lower-case names. Several values of one header are joined with commas; those of an
   * impersonation header with line feeds, since a comma can be part of a group's name.
   */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: ApiRequestBody | undefined;
  /** Set by callers in this process; else the `authorization` header tells. */
  readonly user?: User | undefined;
  /** Aborts when the caller is gone; ends watches and followed logs. */
  readonly signal: AbortSignal;
}

/** One event of a watch; `object` is an object, a bookmark, a Table or a Status. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}

/** What an answer carries. Values are shared with the store: never mutate them. */
export type ApiResponseBody =
  | { readonly kind: 'json'; readonly document: JsonDocument }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Events, one per line, sent as soon as they are there, as many at once as wait (watches). */
  | { readonly kind: 'events'; readonly batches: EventBatches }
  /** Bytes as they come (logs). */
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<Uint8Array> }
  /**
   * Another protocol on the same connection (status 101: exec, attach, portforward). `serve` gets
   * the connection once the head is sent, never rejects, and resolves when it is through with it;
   * the connection's owner ends it then.
   */
  | { readonly kind: 'upgrade'; readonly serve: (connection: Duplex) => Promise<void> };

/** An answer, as a value. `content-type` is among the headers unless the protocol changes. */
export interface ApiResponse {
  readonly status: number;
  /** Lower-case names. Several values of `set-cookie` are joined with line feeds. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ApiResponseBody;
}

/** An answer of one JSON value. */
export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: { kind: 'json', document: toDocument(value) },
  };
}

/** An answer of plain text. */
export function textResponse(status: number, text: string): ApiResponse {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  return { status, headers, body: { kind: 'text', text } };
}
