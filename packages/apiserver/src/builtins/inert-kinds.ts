import { parseApiVersion } from '@fnlet/machinery';

const nobodyBinds = 'nothing binds claims to volumes here';

/**
 * Kinds that would change what the server or its controllers do, and do not here: they are kept, so
 * that what brings them along can be installed, and whoever writes one is told: to believe that a
 * policy holds is dangerous. By group and kind.
 */
const inertKinds: Readonly<Record<string, string>> = {
  '/PersistentVolume': nobodyBinds,
  '/PersistentVolumeClaim': nobodyBinds,
  'certificates.k8s.io/CertificateSigningRequest': 'nothing signs certificates here',
  'flowcontrol.apiserver.k8s.io/FlowSchema': 'requests are not queued by priority here',
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration':
    'requests are not queued by priority here',
  'networking.k8s.io/Ingress': 'nothing listens for it here',
  'networking.k8s.io/NetworkPolicy': 'nothing keeps Pods apart here: it is kept, not enforced',
};

/** What is said to whoever writes an object of a kind that is kept and has no effect. */
export function inertWarning({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): string | undefined {
  return inertKinds[`${parseApiVersion(apiVersion).group}/${kind}`];
}
