/** Dashboards of Grafana for the metrics of controller and Gateways: written out by deploy.ts. */

/** One line, or several, of a panel. */
export interface DashboardQuery {
  /** PromQL; `$namespace` and the like are variables of the dashboard. */
  readonly expr: string;
  /** Name of a line, with labels in double braces. */
  readonly legend: string;
}

export interface DashboardPanel {
  readonly title: string;
  readonly description: string;
  /** As Grafana calls it, such as `s`, `reqps`, `percentunit`. Default: a plain number. */
  readonly unit?: string;
  readonly queries: readonly DashboardQuery[];
}

export interface DashboardRow {
  readonly title: string;
  readonly panels: readonly DashboardPanel[];
}

export interface Dashboard {
  /** Never changes: links and updates go by it. */
  readonly uid: string;
  readonly title: string;
  /** Variables that are chosen above the panels, each from the values of a label. */
  readonly variables: readonly { readonly name: string; readonly query: string }[];
  readonly rows: readonly DashboardRow[];
}

const chosen = 'namespace=~"$namespace",function=~"$function"';
const functionLegend = '{{namespace}}/{{function}}';

function rate(series: string): string {
  return `rate(${series}[$__rate_interval])`;
}

function quantile(share: number, metric: string, by: readonly string[]): string {
  const labels = ['le', ...by].join(', ');
  return `histogram_quantile(${share}, sum by (${labels}) (${rate(`${metric}_bucket{${chosen}}`)}))`;
}

function perFunction(series: string): string {
  return `sum by (namespace, function) (${series})`;
}

/** The median and the slowest hundredth of a histogram of calls, of all that are chosen. */
function percentiles(metric: string): readonly DashboardQuery[] {
  return [0.5, 0.99].map((share) => ({
    expr: quantile(share, metric, []),
    legend: `p${share * 100}`,
  }));
}

const calls: DashboardRow = {
  title: 'Calls',
  panels: [
    {
      title: 'Calls',
      description: 'Calls that were answered, per second.',
      unit: 'reqps',
      queries: [
        { expr: perFunction(rate(`fnlet_requests_total{${chosen}}`)), legend: functionLegend },
      ],
    },
    {
      title: 'Failed calls',
      description: 'The share of calls that were answered with 500 or more.',
      unit: 'percentunit',
      queries: [
        {
          expr: `${perFunction(rate(`fnlet_requests_total{${chosen},code=~"5.."}`))} / ${perFunction(rate(`fnlet_requests_total{${chosen}}`))}`,
          legend: functionLegend,
        },
      ],
    },
    {
      title: 'Time to answer',
      description: 'From the head of a call to the beginning of its answer.',
      unit: 's',
      queries: [
        {
          expr: quantile(0.5, 'fnlet_request_duration_seconds', ['namespace', 'function']),
          legend: `${functionLegend} p50`,
        },
        {
          expr: quantile(0.99, 'fnlet_request_duration_seconds', ['namespace', 'function']),
          legend: `${functionLegend} p99`,
        },
      ],
    },
    {
      title: 'Calls in flight, and calls that wait',
      description: 'What Instances answer now, and what waits for one.',
      queries: [
        {
          expr: perFunction(`fnlet_requests_in_flight{${chosen}}`),
          legend: `${functionLegend} in flight`,
        },
        { expr: perFunction(`fnlet_queue_depth{${chosen}}`), legend: `${functionLegend} waiting` },
      ],
    },
    {
      title: 'Waiting for an Instance',
      description: 'How long calls that waited did so.',
      unit: 's',
      queries: percentiles('fnlet_queue_wait_seconds'),
    },
    {
      title: 'Trouble on the way',
      description:
        'Calls that were tried again, answers that broke off, Instances that were left alone.',
      unit: 'cps',
      queries: [
        {
          expr: `sum by (result) (${rate(`fnlet_retries_total{${chosen}}`)})`,
          legend: 'retries {{result}}',
        },
        { expr: `sum(${rate(`fnlet_cut_answers_total{${chosen}}`)})`, legend: 'cut answers' },
        { expr: `sum(${rate(`fnlet_ejections_total{${chosen}}`)})`, legend: 'ejections' },
      ],
    },
  ],
};

const waking: DashboardRow = {
  title: 'Waking and scaling',
  panels: [
    {
      title: 'Cold starts',
      description: 'Calls that found no Instance awake, per second.',
      unit: 'cps',
      queries: [
        {
          expr: perFunction(rate(`fnlet_cold_start_seconds_count{${chosen}}`)),
          legend: functionLegend,
        },
      ],
    },
    {
      title: 'Time to answer of cold starts',
      description: 'How long their callers waited for the answer.',
      unit: 's',
      queries: percentiles('fnlet_cold_start_seconds'),
    },
    {
      title: 'What cold starts wait for',
      description:
        'The mean time in each phase: for the wish, for a Runner, for its code, for the answer.',
      unit: 's',
      queries: [
        {
          expr: `sum by (phase) (${rate(`fnlet_cold_start_phase_seconds_sum{${chosen}}`)}) / sum by (phase) (${rate(`fnlet_cold_start_phase_seconds_count{${chosen}}`)})`,
          legend: '{{phase}}',
        },
      ],
    },
    {
      title: 'Instances',
      description: 'How many there are by phase, and how many there should be.',
      queries: [
        { expr: `sum by (phase) (fnlet_instances{${chosen}})`, legend: '{{phase}}' },
        { expr: `sum(fnlet_instances_wanted{${chosen}})`, legend: 'wanted' },
      ],
    },
    {
      title: 'Instances of each function',
      description: 'Those that are ready.',
      queries: [
        {
          expr: perFunction(`fnlet_instances{${chosen},phase="ready"}`),
          legend: functionLegend,
        },
      ],
    },
    {
      title: 'Decisions of the scaler',
      description: 'How often the wanted number changed, and why.',
      unit: 'cps',
      queries: [
        {
          expr: `sum by (direction, cause) (${rate(`fnlet_scaling_decisions_total{${chosen}}`)})`,
          legend: '{{direction}} by {{cause}}',
        },
      ],
    },
  ],
};

const gateways: DashboardRow = {
  title: 'Gateways',
  panels: [
    {
      title: 'Connections',
      description: 'Connections of clients that are open, of each Gateway.',
      queries: [{ expr: 'sum by (pod) (fnlet_gateway_connections)', legend: '{{pod}}' }],
    },
    {
      title: 'Answers of the Gateway itself',
      description: 'What it refused, or had nobody to ask for, per second.',
      unit: 'reqps',
      queries: [
        {
          expr: `sum by (code, reason) (${rate('fnlet_gateway_answers_total')})`,
          legend: '{{code}} {{reason}}',
        },
      ],
    },
    {
      title: 'Bodies that are held',
      description: 'Bytes of bodies that are kept until they are complete.',
      unit: 'bytes',
      queries: [{ expr: 'sum by (pod) (fnlet_gateway_held_bytes)', legend: '{{pod}}' }],
    },
  ],
};

const triggered = 'namespace=~"$namespace",trigger=~"$trigger"';
const triggerLegend = '{{namespace}}/{{trigger}}';

function perTrigger(series: string): string {
  return `sum by (namespace, trigger) (${series})`;
}

const triggers: DashboardRow = {
  title: 'Triggers',
  panels: [
    {
      title: 'Events that came',
      description: 'What sources brought, per second, and what was done with it.',
      unit: 'cps',
      queries: [
        {
          expr: `sum by (result) (${rate(`fnlet_trigger_events_total{${triggered}}`)})`,
          legend: '{{result}}',
        },
      ],
    },
    {
      title: 'Events that are settled',
      description: 'Those that do not wait any more, per second, and what became of them.',
      unit: 'cps',
      queries: [
        {
          expr: `sum by (result) (${rate(`fnlet_trigger_settled_total{${triggered}}`)})`,
          legend: '{{result}}',
        },
      ],
    },
    {
      title: 'Events that wait',
      description: 'Kept and not delivered, and those that wait where they come from.',
      queries: [
        {
          expr: perTrigger(`fnlet_trigger_pending_events{${triggered}}`),
          legend: `${triggerLegend} kept`,
        },
        {
          expr: perTrigger(`fnlet_trigger_source_lag_events{${triggered}}`),
          legend: `${triggerLegend} at the source`,
        },
      ],
    },
    {
      title: 'Time of a delivery',
      description: 'How long requests to targets took, whatever came of them.',
      unit: 's',
      queries: [0.5, 0.99].map((share) => ({
        expr: `histogram_quantile(${share}, sum by (le) (${rate(`fnlet_trigger_delivery_duration_seconds_bucket{${triggered}}`)}))`,
        legend: `p${share * 100}`,
      })),
    },
    {
      title: 'Failed attempts',
      description: 'Requests to targets that failed, per second.',
      unit: 'cps',
      queries: [
        {
          expr: perTrigger(rate(`fnlet_trigger_failed_attempts_total{${triggered}}`)),
          legend: triggerLegend,
        },
      ],
    },
    {
      title: 'Dead letters',
      description: 'Events that were given up and are kept.',
      queries: [
        { expr: perTrigger(`fnlet_trigger_dead_letters{${triggered}}`), legend: triggerLegend },
      ],
    },
    {
      title: 'Sources that bring nothing',
      description: 'Triggers whose source is out of reach.',
      queries: [
        {
          expr: `${perTrigger(`fnlet_trigger_source_up{${triggered}}`)} == 0`,
          legend: triggerLegend,
        },
      ],
    },
    {
      title: 'Requests of Triggers with demands',
      description: 'Requests that were let in, and why others were not, per second.',
      unit: 'reqps',
      queries: [
        {
          expr: `sum by (verdict) (${rate(`fnlet_route_requests_total{${triggered}}`)})`,
          legend: '{{verdict}}',
        },
      ],
    },
  ],
};

const brokers: DashboardRow = {
  title: 'Brokers, and calls for later',
  panels: [
    {
      title: 'Events that Brokers took',
      description: 'Per second.',
      unit: 'cps',
      queries: [
        {
          expr: `sum by (namespace, broker, result) (${rate('fnlet_broker_events_total{namespace=~"$namespace"}')})`,
          legend: '{{namespace}}/{{broker}} {{result}}',
        },
      ],
    },
    {
      title: 'What Brokers keep',
      description: 'Events, as of the last look.',
      queries: [
        {
          expr: 'sum by (namespace, broker) (fnlet_broker_events{namespace=~"$namespace"})',
          legend: '{{namespace}}/{{broker}}',
        },
      ],
    },
    {
      title: 'Calls for later',
      description: 'Those that are kept, by state.',
      queries: [{ expr: 'sum by (state) (fnlet_async_calls)', legend: '{{state}}' }],
    },
  ],
};

/** All dashboards. */
export const dashboards: readonly Dashboard[] = [
  {
    uid: 'fnlet-functions',
    title: 'Fnlet: functions',
    variables: [
      { name: 'namespace', query: 'label_values(fnlet_requests_total, namespace)' },
      {
        name: 'function',
        query: 'label_values(fnlet_requests_total{namespace=~"$namespace"}, function)',
      },
    ],
    rows: [calls, waking, gateways],
  },
  {
    uid: 'fnlet-events',
    title: 'Fnlet: events',
    variables: [
      { name: 'namespace', query: 'label_values(fnlet_trigger_events_total, namespace)' },
      {
        name: 'trigger',
        query: 'label_values(fnlet_trigger_events_total{namespace=~"$namespace"}, trigger)',
      },
    ],
    rows: [triggers, brokers],
  },
];

const datasource = { type: 'prometheus', uid: '$datasource' };
const panelWidth = 8;
const panelHeight = 8;
const columns = 3;

/** A dashboard as Grafana imports it (version 39 of its schema: Grafana 11 and later). */
export function toGrafana({ uid, title, variables, rows }: Dashboard): object {
  const panels: object[] = [];
  let top = 0;
  let id = 1;
  for (const row of rows) {
    const place = { x: 0, y: top, w: columns * panelWidth, h: 1 };
    panels.push({ id: id++, type: 'row', title: row.title, gridPos: place, panels: [] });
    top += 1;
    for (const [index, panel] of row.panels.entries()) {
      const x = (index % columns) * panelWidth;
      const y = top + Math.floor(index / columns) * panelHeight;
      const gridPos = { x, y, w: panelWidth, h: panelHeight };
      panels.push({ id: id++, ...toGrafanaPanel(panel), gridPos });
    }
    top += Math.ceil(row.panels.length / columns) * panelHeight;
  }
  return {
    ...{ uid, title, tags: ['fnlet'], schemaVersion: 39, version: 1, editable: true },
    ...{ time: { from: 'now-1h', to: 'now' }, refresh: '30s', timezone: 'browser' },
    templating: { list: [datasourceVariable, ...variables.map(toGrafanaVariable)] },
    panels,
  };
}

const datasourceVariable = {
  ...{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
};

function toGrafanaVariable({ name, query }: Dashboard['variables'][number]): object {
  return {
    ...{ name, type: 'query', datasource, query: { query, refId: name }, definition: query },
    ...{ refresh: 2, sort: 1, multi: true, includeAll: true, allValue: '.*' },
    current: { text: ['All'], value: ['$__all'] },
  };
}

function toGrafanaPanel({ title, description, unit, queries }: DashboardPanel): object {
  return {
    ...{ type: 'timeseries', title, description, datasource },
    fieldConfig: {
      defaults: {
        unit: unit ?? 'short',
        min: 0,
        custom: { lineWidth: 1, fillOpacity: 10, showPoints: 'never' },
      },
      overrides: [],
    },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: queries.map(({ expr, legend }, index) => ({
      ...{ refId: String.fromCharCode(65 + index), datasource, expr, legendFormat: legend },
    })),
  };
}
