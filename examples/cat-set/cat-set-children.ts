/** The children of a CatSet, each as it is wanted. */
import { PersistentVolumeClaim, Pod } from 'fnlet/operator';

export const claim = (name: string) =>
  PersistentVolumeClaim.of({
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });

/** What a Pod runs. */
interface Program {
  readonly image: string;
  readonly command: readonly string[];
}

export function pod(name: string, { image, command }: Program) {
  const volumeMounts = [{ name: 'data', mountPath: '/data' }];
  return Pod.of({
    metadata: { name },
    spec: {
      containers: [{ name: 'cat', image, command, volumeMounts }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
    },
  });
}

export function isReady({ status }: Pod): boolean {
  const { conditions = [] } = status ?? {};
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
