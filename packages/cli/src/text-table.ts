/** Columns as kubectl prints them: upper-case heads, three blanks between, no trailing blanks. */
export function formatTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const all = [heads, ...rows];
  const widths = heads.map((_, column) =>
    Math.max(...all.map((row) => (row[column] ?? '').length)),
  );
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** An age as kubectl prints it: the largest unit or two. */
export function formatAge(sinceMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - sinceMs) / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return withRest(minutes, 'm', `${seconds % 60}s`);
  if (hours < 3) return `${minutes}m`;
  if (hours < 8) return withRest(hours, 'h', `${minutes % 60}m`);
  if (days < 2) return `${hours}h`;
  return days < 8 ? withRest(days, 'd', `${hours % 24}h`) : `${days}d`;
}

function withRest(count: number, unit: string, rest: string): string {
  return rest.startsWith('0') ? `${count}${unit}` : `${count}${unit}${rest}`;
}
