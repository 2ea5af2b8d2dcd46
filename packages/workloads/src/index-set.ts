/** Reads `0-2,5` as the numbers that it stands for. */
export function parseIndexes(text: string): ReadonlySet<number> {
  const indexes = new Set<number>();
  for (const range of text.split(',').filter((part) => part !== '')) {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    for (let index = first; index <= last; index++) indexes.add(index);
  }
  return indexes;
}

/** The shortest text of a set of numbers: `0-2,5`, with a pair as `3,4` (job/indexed_job_utils.go). */
export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...new Set(indexes)].sort((a, b) => a - b);
  const ranges: string[] = [];
  for (let from = 0; from < sorted.length; ) {
    let to = from;
    while (sorted[to + 1] === (sorted[to] ?? 0) + 1) to++;
    const separator = to === from + 1 ? ',' : '-';
    ranges.push(to === from ? `${sorted[from]}` : `${sorted[from]}${separator}${sorted[to]}`);
    from = to + 1;
  }
  return ranges.join(',');
}
