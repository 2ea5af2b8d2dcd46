/** Requests as policies see them, from the bytes that a client would send. */
import { HeadStream } from '../../src/http1/head-stream.ts';
import { Rejection } from '../../src/http1/rejection.ts';
import { parseRequestHead, type RequestHead } from '../../src/http1/request-head.ts';
import { Admission } from '../../src/policy/admission.ts';
import { trustNobody } from '../../src/policy/client-address.ts';
import type { Pass, PolicyRequest, RoutePolicy, Verdict } from '../../src/policy/route-policy.ts';

export interface RequestOptions {
  readonly method?: string;
  readonly target?: string;
  readonly address?: string;
}

/** A request with these header lines. */
export function request(lines: readonly string[], options: RequestOptions = {}): PolicyRequest {
  const { method = 'GET', target = '/', address = '192.0.2.1' } = options;
  const text = [`${method} ${target} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n');
  const limits = { headBytesMax: 65_536, fieldsMax: 128, startLineBytesMax: 8192 };
  const heads = new HeadStream<RequestHead>(limits, (head) => parseRequestHead(head, 8192));
  const head = heads.read(Buffer.from(text, 'latin1'), 0);
  if (head === undefined || head instanceof Rejection) throw new Error(`No request: ${text}`);
  return new Admission(head, address, trustNobody);
}

/** What becomes of a request, in a line: `200 <fields for the function>`, `401 <code>`. */
export async function outcome(policy: RoutePolicy, asked: PolicyRequest): Promise<string> {
  const verdict = await policy.admit(asked);
  if (verdict.kind === 'refusal') return `${verdict.answer.status} ${verdict.answer.code}`;
  return `200 ${forwarded(verdict)}`.trim();
}

function forwarded({ forward }: Pass): string {
  return (forward?.add ?? []).map(([name, value]) => `${name}=${value}`).join(' ');
}

/** The fields that a verdict puts on the answer. */
export function answerFields(verdict: Verdict): Readonly<Record<string, string>> {
  const fields =
    verdict.kind === 'pass' ? (verdict.answer?.add ?? []) : (verdict.answer.fields ?? []);
  return Object.fromEntries(fields);
}
