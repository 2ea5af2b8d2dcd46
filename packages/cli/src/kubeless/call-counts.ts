/** What Instances have counted of the calls with one method. */
export interface CallCounts {
  readonly method: string;
  readonly calls: number;
  readonly failures: number;
  readonly seconds: number;
}

const families: Readonly<Record<string, keyof Omit<CallCounts, 'method'>>> = {
  function_calls_total: 'calls',
  function_failures_total: 'failures',
  function_duration_seconds_sum: 'seconds',
};

/** Sums the metrics of all Instances of a function, in the text format of Prometheus. */
export function sumCallCounts(pages: readonly string[]): readonly CallCounts[] {
  const byMethod = new Map<string, CallCounts>();
  for (const line of pages.join('\n').split('\n')) {
    const [, family = '', labels = '', value = ''] = /^(\w+)\{(.*)\} (\S+)/.exec(line) ?? [];
    const field = families[family];
    const method = /(?:^|,)method="([^"]*)"/.exec(labels)?.[1];
    if (field === undefined || method === undefined) continue;
    const known = byMethod.get(method) ?? { method, calls: 0, failures: 0, seconds: 0 };
    byMethod.set(method, { ...known, [field]: known[field] + Number(value) });
  }
  return [...byMethod.values()];
}
