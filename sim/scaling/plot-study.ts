import type { Day } from './study.ts';

const panel = { width: 420, height: 150 };
const gap = { x: 46, y: 58 };
const margin = { left: 34, top: 44, right: 12, bottom: 26 };
const panelsPerRow = 2;

// Colours that can be told apart, in light and in dark, also by those who see few of them.
const style = `
text { font: 12px system-ui, sans-serif; fill: #3b4252 }
.axis, .grid { stroke: #8892a6; stroke-width: .5 }
.grid { opacity: .35 }
.need { fill: #8892a6; opacity: .28 }
.line { fill: none; stroke-width: 1.6 }
.reactive { stroke: #0072b2 }
.predicted { stroke: #d55e00 }
.fixed { stroke: #8892a6; stroke-dasharray: 5 4 }
.title { font-weight: 600 }
.small { font-size: 10px }
@media (prefers-color-scheme: dark) {
  text { fill: #d8dee9 }
  .reactive { stroke: #56b4e9 }
  .predicted { stroke: #f0a35e }
}
`;

/** The days as a picture (SVG): a panel for each load, a line for each manner. */
export function plotStudy(days: readonly Day[]): string {
  const shapes = [...new Set(days.map(({ shape }) => shape))];
  const rows = Math.ceil(shapes.length / panelsPerRow);
  const width = margin.left + panelsPerRow * (panel.width + gap.x) - gap.x + margin.right;
  const height = margin.top + rows * (panel.height + gap.y) - gap.y + margin.bottom;
  const panels = shapes.map((shape, index) => {
    const x = margin.left + (index % panelsPerRow) * (panel.width + gap.x);
    const y = margin.top + Math.floor(index / panelsPerRow) * (panel.height + gap.y);
    const own = days.filter((day) => day.shape === shape);
    return `<g transform="translate(${x} ${y})">${plotPanel(own)}</g>`;
  });
  const label = 'Instances by time of day under four kinds of load';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">`,
    `<style>${style}</style>`,
    plotLegend(),
    ...panels,
    '</svg>\n',
  ].join('\n');
}

const legend = [
  ['reactive', 'reactive'],
  ['predicted', 'with prediction'],
  ['fixed', 'fixed'],
] as const;

function plotLegend(): string {
  const lines = legend.map(([name, text], index) => {
    const x = margin.left + index * 130;
    return `<path class="line ${name}" d="M${x} 12h24"/><text x="${x + 30}" y="16">${text}</text>`;
  });
  const x = margin.left + legend.length * 130;
  const area = `<rect class="need" x="${x}" y="6" width="24" height="12"/>`;
  return `${lines.join('')}${area}<text x="${x + 30}" y="16">what the load needs</text>`;
}

function plotPanel(days: readonly Day[]): string {
  const [first] = days;
  if (first === undefined) return '';
  const most = Math.max(...days.flatMap(({ instances }) => instances), ...first.needs);
  const minutes = first.instances.length;
  const at = (minute: number): number => round((minute / minutes) * panel.width);
  const of = (count: number): number => round(panel.height * (1 - count / (most * 1.05)));
  const need = `${steps(first.needs, at, of)}V${panel.height}H0z`;
  const lines = days.map(
    ({ manner, instances }) => `<path class="line ${manner}" d="${steps(instances, at, of)}"/>`,
  );
  return [
    `<text class="title" y="-8">${first.shape.title}</text>`,
    plotGrid(most, of),
    plotHours(minutes, at),
    `<path class="need" d="${need}"/>`,
    ...lines.toReversed(),
  ].join('');
}

function plotGrid(most: number, of: (count: number) => number): string {
  const step = Math.max(1, Math.ceil(most / 4));
  const counts = Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
  return counts
    .map((count) => {
      const y = of(count);
      const text = `<text class="small" x="-6" y="${y + 3}" text-anchor="end">${count}</text>`;
      return `<path class="grid" d="M0 ${y}h${panel.width}"/>${text}`;
    })
    .join('');
}

function plotHours(minutes: number, at: (minute: number) => number): string {
  const hours = Array.from({ length: Math.floor(minutes / 60) + 1 }, (_, hour) => hour);
  const texts = hours.map((hour) => {
    const text = `${String(6 + hour).padStart(2, '0')}:00`;
    return `<text class="small" x="${at(hour * 60)}" y="${panel.height + 14}" text-anchor="middle">${text}</text>`;
  });
  return `<path class="axis" d="M0 ${panel.height}h${panel.width}"/>${texts.join('')}`;
}

/** A line that keeps its height until the next value, drawn only where the value changes. */
function steps(
  values: readonly number[],
  at: (minute: number) => number,
  of: (count: number) => number,
): string {
  let path = `M0 ${of(values[0] ?? 0)}`;
  for (const [minute, value] of values.entries()) {
    if (minute > 0 && value !== values[minute - 1]) path += `H${at(minute)}V${of(value)}`;
  }
  return `${path}H${at(values.length)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
