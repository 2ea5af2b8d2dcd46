import type { Duplex } from 'node:stream';

/** One call of a webhook. */
export interface WebhookCall {
  readonly url: URL;
  /** The only authorities that are trusted; undefined: those of the machine. */
  readonly caPem: string | undefined;
  /** JSON. */
  readonly body: string;
  /** Longer answers are refused. */
  readonly answerBytesMax: number;
  /** The connection to use, in plain bytes. Default: one to the host of the address. */
  readonly connection?: Duplex | undefined;
  readonly signal: AbortSignal;
}

/** What a webhook answered. */
export interface WebhookAnswer {
  readonly status: number;
  readonly text: string;
}

/** The way out to webhooks; rejects when there is no whole answer. */
export type PostToWebhook = (call: WebhookCall) => Promise<WebhookAnswer>;
