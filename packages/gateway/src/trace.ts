import type { Random } from '@fnlet/base';

/** What ties the log lines and spans of one call together. */
export interface Trace {
  /** Value of `X-Request-Id`, on the request and on the answer. */
  readonly requestId: string;
  /** Value of `traceparent` (W3C Trace Context, level 1). */
  readonly traceparent: string;
}

const requestIdPattern = /^[\w.~+/=:@-]{1,128}$/;
const traceparentPattern =
  /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** Takes over what the caller sent, where that is sane, and makes the rest. */
export function traceOf(known: ReadonlyMap<string, string>, random: Random): Trace {
  const givenId = known.get('x-request-id');
  const givenParent = known.get('traceparent');
  const saneId = givenId !== undefined && requestIdPattern.test(givenId);
  const saneParent = givenParent !== undefined && traceparentPattern.test(givenParent);
  if (saneId && saneParent) return { requestId: givenId, traceparent: givenParent };
  const uuid = random.uuid();
  return {
    requestId: saneId ? givenId : uuid,
    traceparent: saneParent ? givenParent : newTraceparent(uuid),
  };
}

// One UUID is enough chance for both ids: 122 random bits, and a half that is never all zero.
// The flags say "not sampled": whoever records traces decides that, not we.
function newTraceparent(uuid: string): string {
  const left = uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18);
  const right = uuid.slice(19, 23) + uuid.slice(24);
  return `00-${left}${right}-${right}-00`;
}
