import type { FunctionObject } from '@fnlet/api';
import type { Clock } from '@fnlet/base';
import type { Cache } from '@fnlet/client';
import type { ListedFunction, StatusSnapshot } from '@fnlet/dashboard';
import { fnletVersion } from './version.ts';

export interface SnapshotOptions {
  readonly cache: Pick<Cache<FunctionObject>, 'list'>;
  readonly clock: Clock;
  readonly listed: {
    readonly api: string;
    readonly gateway: string;
    readonly kubeconfig: string;
    readonly dataDirectory: string;
  };
}

/** What the page shows of a Function: no source, no copy of it in an annotation, no environment. */
export function projectListed({ metadata, spec, ...object }: FunctionObject): FunctionObject {
  const { labels: _labels, annotations: _annotations, ...kept } = metadata;
  const { runtime, handler, timeout, scale, allowInstallScripts } = spec;
  return {
    ...object,
    metadata: kept,
    spec: { runtime, handler, timeout, scale, allowInstallScripts, source: {} },
  };
}

/** What the status page shows, read from memory each time that it is asked for. */
export function createSnapshot({ cache, clock, listed }: SnapshotOptions): () => StatusSnapshot {
  const startedAtMs = clock.now();
  const endpoints = [
    { name: 'API', url: listed.api, purpose: 'kubectl, fnlet and any Kubernetes client' },
    { name: 'Gateway', url: listed.gateway, purpose: 'calls: /<namespace>/<function>/…' },
  ];
  return () => ({
    version: fnletVersion,
    startedAtMs,
    nowMs: clock.now(),
    endpoints,
    kubeconfig: listed.kubeconfig,
    dataDirectory: listed.dataDirectory,
    functions: cache.list().map(toListed).sort(byName),
  });
}

function toListed({ metadata, spec, status }: FunctionObject): ListedFunction {
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    runtime: spec.runtime,
    url: status?.url,
    replicas: status?.replicas ?? 0,
    conditions: status?.conditions ?? [],
  };
}

function byName(a: ListedFunction, b: ListedFunction): number {
  return a.namespace.localeCompare(b.namespace) || a.name.localeCompare(b.name);
}
