/** 16 hexadecimal digits, not all of them zero: names a span. Unique, not secret. */
export function randomSpanId(): string {
  return hexWord() + hexWord();
}

/** 32 hexadecimal digits: names a trace. */
export function randomTraceId(): string {
  return randomSpanId() + randomSpanId();
}

function hexWord(): string {
  return (Math.floor(Math.random() * 0xffff_ffff) + 1).toString(16).padStart(8, '0');
}
