import type { Day } from './study.ts';

const columns: readonly (readonly [string, (day: Day) => string])[] = [
  ['load', ({ shape }) => shape.title],
  ['Instances', ({ manner }) => manner],
  ['requests', ({ requests }) => String(requests)],
  ['late', ({ late }) => String(late)],
  ['late, %', ({ late, requests }) => ((100 * late) / Math.max(1, requests)).toFixed(2)],
  ['Instance-hours', ({ instanceSeconds }) => (instanceSeconds / 3600).toFixed(1)],
  ['at most', ({ instances }) => String(Math.max(...instances))],
];

/** The days as a table for people. */
export function formatStudy(days: readonly Day[]): string {
  const rows = [
    columns.map(([name]) => name),
    ...days.map((day) => columns.map(([, of]) => of(day))),
  ];
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const lines = rows.map((row) =>
    row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))),
  );
  return lines.map((cells) => `${cells.join('  ')}\n`).join('');
}
