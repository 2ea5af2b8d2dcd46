const units: readonly (readonly [string, bigint])[] = [
  ['h', 3_600_000_000_000n],
  ['m', 60_000_000_000n],
];

const second = 1_000_000_000n;

/** A duration in nanoseconds as Go writes it: `1h0m0s`, `1.5s`, `250ms` (time.Duration.String). */
export function formatGoDuration(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  if (nanos < 0n) return `-${formatGoDuration(-nanos)}`;
  if (nanos < second) return small(nanos);
  let rest = nanos;
  let text = '';
  for (const [unit, size] of units) {
    if (text === '' && rest < size) continue;
    text += `${rest / size}${unit}`;
    rest %= size;
  }
  return `${text}${decimal(rest, second)}s`;
}

function small(nanos: bigint): string {
  if (nanos < 1000n) return `${nanos}ns`;
  return nanos < 1_000_000n ? `${decimal(nanos, 1000n)}µs` : `${decimal(nanos, 1_000_000n)}ms`;
}

function decimal(value: bigint, size: bigint): string {
  const digits = size.toString().length - 1;
  const fraction = (value % size).toString().padStart(digits, '0').replace(/0+$/, '');
  return fraction === '' ? `${value / size}` : `${value / size}.${fraction}`;
}
