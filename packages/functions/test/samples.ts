import type { FunctionObject, FunctionSpec } from '@fnlet/api';
import type { RunnableRevision } from '@fnlet/executor';

const spec: FunctionSpec = {
  runtime: 'nodejs24',
  handler: 'default',
  source: { inline: 'export default () => "hi";' },
  allowInstallScripts: false,
  timeout: '30s',
  scale: { min: 0, max: 100, target: 50, limit: 0, idleAfter: '60s' },
};

/** A Function as the API gives it. */
export function sampleFunction(change: Partial<FunctionSpec> = {}): FunctionObject {
  return {
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Function',
    metadata: { name: 'hello', namespace: 'default', uid: 'u1', generation: 1 },
    spec: { ...spec, ...change },
  };
}

/** A Revision that can be started. */
export function sampleRunnable(name: string): RunnableRevision {
  return {
    id: `default/${name}`,
    namespace: 'default',
    function: 'hello',
    revision: name,
    runtime: 'nodejs24',
    handler: 'default',
    sourceDirectory: '/artifacts/x',
    env: {},
    limits: { timeoutMs: 30_000, bodyBytesMax: 1000, drainMs: 30_000 },
    labels: {},
    annotations: {},
    owner: { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Revision', name, uid: 'r1' },
  };
}
