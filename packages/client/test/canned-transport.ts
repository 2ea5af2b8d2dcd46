import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '../src/index.ts';

export interface CannedAnswer {
  readonly status: number;
  /** Text, or a JSON value. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as documents, for watches. */
  readonly documents?: readonly unknown[];
}

/** Gives each request the next of its answers, or the one for its path, and takes note. */
export class CannedTransport implements Transport {
  readonly requests: TransportRequest[] = [];
  readonly #answers: CannedAnswer[];
  readonly #byPath: Readonly<Record<string, CannedAnswer>>;

  constructor(
    answers: readonly CannedAnswer[],
    byPath: Readonly<Record<string, CannedAnswer>> = {},
  ) {
    this.#answers = [...answers];
    this.#byPath = byPath;
  }

  /** The requests as `GET /path?query`, not encoded. */
  get lines(): readonly string[] {
    return this.requests.map(({ method, path, query = {} }) => {
      const search = Object.entries(query).map(([name, value]) => `${name}=${value}`);
      return `${method} ${path}${search.length === 0 ? '' : `?${search.join('&')}`}`;
    });
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(request);
    const answer = this.#byPath[request.path] ?? this.#answers.shift();
    if (answer === undefined) throw new TransportError('Unreachable', 'no answer is left');
    const { status, body, headers = {}, documents = [] } = answer;
    return {
      status,
      headers,
      json: async () => body,
      async *documents() {
        yield* documents;
      },
      async *bytes() {
        yield Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
      },
    };
  }

  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}
}
