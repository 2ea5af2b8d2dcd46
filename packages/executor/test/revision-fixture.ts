import type { RunnableRevision } from '../src/executor.ts';

/** A Revision of the function `hello`, with what matters to a test changed. */
export function revisionFixture(changes: Partial<RunnableRevision> = {}): RunnableRevision {
  const revision = changes.revision ?? 'hello-00001';
  return {
    id: `default/${revision}`,
    namespace: 'default',
    function: 'hello',
    revision,
    runtime: 'nodejs24',
    handler: 'default',
    sourceDirectory: '/nowhere',
    env: { GREETING: 'hello' },
    limits: { timeoutMs: 30_000, bodyBytesMax: 1_048_576, drainMs: 5_000 },
    labels: {},
    annotations: {},
    owner: { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Revision', name: revision, uid: 'uid-1' },
    ...changes,
  };
}
