/**
 * Owns the Pods of this node: one worker for each that has not finished.
 *
 * I1. A Pod is known by its uid: one that is made anew under the same name waits until the old one
 *     has ended.
 * I2. Files of Pods that do not exist any more are removed, those of an earlier life included.
 */
import type { Cache, CacheEvent } from '@fnlet/client';
import type { KubeletContext } from './kubelet-context.ts';
import { isFinished, isTerminating, type Pod } from './pod.ts';
import { PodWorker } from './pod-worker.ts';

export interface Kubelet {
  readonly name: string;
  /** Runs Pods until `signal` aborts; their processes are their runtime's to end. */
  run(signal: AbortSignal): Promise<void>;
}

export function createKubelet(context: KubeletContext, pods: Cache<Pod>): Kubelet {
  const workers = new Map<string, PodWorker>();
  const running = new Set<Promise<void>>();
  const { nodeName, runtime } = context;

  const begin = (uid: string, pod: Pod, signal: AbortSignal): void => {
    const worker = new PodWorker(pod, context);
    workers.set(uid, worker);
    const ended = worker.run(signal).finally(() => {
      workers.delete(uid);
      running.delete(ended);
    });
    running.add(ended);
  };
  const onPod = ({ kind, object }: CacheEvent<Pod>, signal: AbortSignal): void => {
    const { uid } = object.metadata;
    if (object.spec.nodeName !== nodeName || uid === undefined) return;
    const worker = workers.get(uid);
    if (kind === 'deleted') {
      if (worker !== undefined) worker.remove();
      else runtime.removePod(uid);
    } else if (worker !== undefined) {
      worker.update(object);
    } else if (!isFinished(object) || isTerminating(object)) {
      begin(uid, object, signal);
    }
  };
  return {
    name: 'kubelet',
    async run(signal) {
      const aborted = new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([pods.synced, aborted]);
      if (signal.aborted) return;
      const known = new Set(pods.list().map(({ metadata }) => metadata.uid));
      for (const uid of runtime.listPods()) if (!known.has(uid)) runtime.removePod(uid);
      const stop = pods.subscribe((event) => onPod(event, signal));
      await aborted;
      stop();
      await Promise.all(running);
    },
  };
}
