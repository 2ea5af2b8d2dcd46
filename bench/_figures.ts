/** The value below which this share (0 … 1) of the samples lies. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}

/** p50, p95, p99 of samples in milliseconds, as a row of a table. */
export function latencyRow(
  samples: readonly number[],
): Readonly<Record<'n' | 'p50 ms' | 'p95 ms' | 'p99 ms', number>> {
  return {
    n: samples.length,
    'p50 ms': round(quantile(samples, 0.5), 2),
    'p95 ms': round(quantile(samples, 0.95), 2),
    'p99 ms': round(quantile(samples, 0.99), 2),
  };
}

/** Prints the table, and last the one line of JSON that scripts read. */
export function report(
  bench: string,
  rows: Readonly<Record<string, Readonly<Record<string, string | number>>>>,
  figures: Readonly<Record<string, number>>,
): void {
  process.stdout.write(`${formatRows(rows)}\n${JSON.stringify({ bench, figures })}\n`);
}

function formatRows(
  rows: Readonly<Record<string, Readonly<Record<string, string | number>>>>,
): string {
  const columns = [...new Set(Object.values(rows).flatMap((row) => Object.keys(row)))];
  const table = [
    ['', ...columns],
    ...Object.entries(rows).map(([name, row]) => [
      name,
      ...columns.map((column) => String(row[column] ?? '')),
    ]),
  ];
  const widths = (table[0] ?? []).map((_, index) =>
    Math.max(...table.map((cells) => (cells[index] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  const [head = [], ...body] = table;
  return [line(head), rule, ...body.map(line)].join('\n');
}
