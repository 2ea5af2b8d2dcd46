import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { RunnerUnderContract } from './runner-under-contract.ts';

/** A request of the vectors and what its answer must be; see vectors/README.md. */
export interface CallVector {
  readonly name: string;
  readonly request: {
    readonly method?: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly text?: string;
    readonly base64?: string;
    /** How many zero bytes the body has. */
    readonly bytes?: number;
    /** Sent without a Content-Length. */
    readonly chunked?: boolean;
  };
  readonly answer: {
    readonly status: readonly number[];
    /** Regular expressions. */
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly base64?: string;
    readonly json?: unknown;
  };
}

/** A value of a handler in each language, and its answers; see vectors/README.md. */
export interface CommonResult {
  readonly value: string;
  /** Expressions. */
  readonly node: string;
  readonly python: string;
  /** Status, content type and body of handlers `(request, context)` and `(event, context)`. */
  readonly own: readonly [status: number, type: string | null, body: string];
  readonly event: readonly [status: number, type: string | null, body: string];
}

/** Reads a file of the folder `vectors`. */
export function readVectors<Row>(file: string): readonly Row[] {
  return JSON.parse(readFileSync(new URL(`./vectors/${file}`, import.meta.url), 'utf8'));
}

/** Makes the call of a vector and checks its answer. */
export async function checkCall(runner: RunnerUnderContract, vector: CallVector): Promise<void> {
  const { request, answer } = vector;
  const body = bodyOf(request);
  const length =
    body === undefined || request.chunked === true ? {} : { 'content-length': `${body.length}` };
  const found = await runner.call({
    path: request.path,
    headers: { ...request.headers, ...length },
    method: request.method ?? 'GET',
    ...(body === undefined ? {} : { body }),
  });
  assert.ok(answer.status.includes(found.status), `${found.status} ${found.body}\n${runner.log}`);
  for (const [name, pattern] of Object.entries(answer.headers ?? {})) {
    assert.match(String(found.headers[name]), new RegExp(pattern), name);
  }
  if (answer.body !== undefined) assert.equal(found.body, answer.body);
  if (answer.base64 !== undefined) assert.equal(found.bytes.toString('base64'), answer.base64);
  if (answer.json !== undefined) assert.deepEqual(JSON.parse(found.body), answer.json);
}

function bodyOf({ text, base64, bytes }: CallVector['request']): Buffer | undefined {
  if (text !== undefined) return Buffer.from(text);
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  return bytes === undefined ? undefined : Buffer.alloc(bytes);
}
