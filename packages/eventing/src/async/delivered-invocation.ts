import type { HeaderField, Invocation } from '@fnlet/invocation';
import type { Call } from './call.ts';
import { bodyBytes } from './kept-body.ts';

/** What a caller says about how its call is to be treated; none of the function's business. */
export const treatmentHeaders: ReadonlySet<string> = new Set([
  'prefer',
  'x-callback-url',
  'x-call-attempts',
  'x-call-deadline',
]);

/** What only whoever delivers a call may say. */
const deliveryHeaders: ReadonlySet<string> = new Set(['x-call-id', 'x-call-attempt']);

/** The call as the function gets it: what was sent, which call it is, and which try of it. */
export function deliveredInvocation(
  call: Call,
  attempt: number,
  bounds: Pick<Invocation, 'timeoutMs' | 'answerBytesMax'>,
): Invocation {
  const { namespace, function: name, method, target, remoteAddress } = call;
  const headers: readonly HeaderField[] = [
    ...call.headers.filter(([field]) => {
      const folded = field.toLowerCase().replaceAll('_', '-');
      return !treatmentHeaders.has(folded) && !deliveryHeaders.has(folded);
    }),
    ['X-Call-Id', call.id],
    ['X-Call-Attempt', String(attempt)],
  ];
  const body = bodyBytes(call.body);
  return { namespace, function: name, method, target, headers, body, remoteAddress, ...bounds };
}
