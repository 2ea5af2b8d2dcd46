/**
 * Packages that Kyma's images of Node carry besides what functions declare, and the versions to
 * declare. Those that the Runner has itself (see module-hooks.ts) are not among them.
 */
export const kymaImageModules: Readonly<Record<string, string>> = {
  '@opentelemetry/auto-instrumentations-node': '^0',
  '@opentelemetry/context-async-hooks': '^2',
  '@opentelemetry/core': '^2',
  '@opentelemetry/exporter-prometheus': '^0',
  '@opentelemetry/exporter-trace-otlp-http': '^0',
  '@opentelemetry/instrumentation': '^0',
  '@opentelemetry/instrumentation-express': '^0',
  '@opentelemetry/instrumentation-http': '^0',
  '@opentelemetry/propagator-b3': '^2',
  '@opentelemetry/resources': '^2',
  '@opentelemetry/sdk-metrics': '^2',
  '@opentelemetry/sdk-node': '^0',
  '@opentelemetry/sdk-trace-base': '^2',
  '@opentelemetry/sdk-trace-node': '^2',
  '@opentelemetry/semantic-conventions': '^1',
  axios: '^1',
  'body-parser': '^2',
  cloudevents: '^10',
  express: '^5',
  morgan: '^1',
};
