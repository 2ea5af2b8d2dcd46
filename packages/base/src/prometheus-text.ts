/** One family of metrics, as Prometheus reads it (text format 0.0.4). */
export interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  /** After the name of the family, such as `_bucket`. Default: nothing. */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export const prometheusContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** All families, one after another. */
export function formatMetrics(families: readonly MetricFamily[]): string {
  return families.map(formatFamily).join('');
}

function formatFamily({ name, type, help, samples }: MetricFamily): string {
  const lines = samples.map(({ suffix = '', labels, value }) => {
    const entries = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
    const braces = entries.length === 0 ? '' : `{${entries.join(',')}}`;
    return `${name}${suffix}${braces} ${value}`;
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
