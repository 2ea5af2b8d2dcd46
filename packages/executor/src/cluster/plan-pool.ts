import type { KubeObject } from '@fnlet/machinery';
import { pythonFlags, pythonPrograms } from '../python-runner.ts';
import { poolLabel } from './plan-claim.ts';
import type { PoolSize } from './pod-supply.ts';

/** What Pods of Runners are made of, wherever they run. */
export interface PoolTerms {
  /** Origin at which Runners reach the controller. */
  readonly ownerUrl: string;
  /** Where images come from, such as `registry.example/mirror`. Default: as the names say. */
  readonly registry?: string;
  /**
   * The Runner's program in each language: that of Node has `src/pod-main.mjs`, that of Python the
   * folders `fnlet_runner` and `doors`.
   */
  readonly programs: Readonly<Record<PodLanguage, LanguageProgram>>;
  /** Name of the ConfigMap with `ca.crt` of the controller, in the namespace of the pool. */
  readonly authorityConfigMap: string;
  /** What a Runner without code asks for. */
  readonly requests: { readonly cpu: string; readonly memory: string };
  /**
   * Whether Pods have no network of their own, but one address each of the machine that they share,
   * as where an embedded Fnlet is the cluster: then a Runner listens on that address alone. Default
   * false: it listens on all addresses, so that ports are forwarded to it, too.
   */
  readonly sharedNetwork?: boolean;
}

/** Languages that there are Runners for in Pods. */
export type PodLanguage = 'node' | 'python';

/** The ConfigMap that a Runner's program is in, in the namespace of the pool. */
export interface LanguageProgram {
  readonly name: string;
  /** The file of each key: keys have no slashes. */
  readonly items: readonly { readonly key: string; readonly path: string }[];
}

/** How long tokens of Pods are good for; the kubelet renews them. The least that the API gives. */
const tokenSeconds = 3_600;

const mounts = { program: '/fnlet/program', owner: '/fnlet/owner', work: '/fnlet/work' };

/** The port on which Runners in Pods answer calls. */
const callsPort = 8080;

/** Programs of Runners, by the beginning of the name of their runtime. */
const languages: readonly {
  readonly name: PodLanguage;
  readonly prefix: string;
  image(version: string): string;
  readonly command: readonly string[];
}[] = [
  {
    name: 'node',
    prefix: 'nodejs',
    image: (version) => `node:${version}-slim`,
    command: ['node', `${mounts.program}/src/pod-main.mjs`, '--cache', `${mounts.work}/cache`],
  },
  {
    name: 'python',
    prefix: 'python',
    image: (version) => `python:${version}-slim`,
    // The program is read-only, so nothing of it is compiled for a next time.
    command: ['python3', ...pythonFlags, '-B', `${mounts.program}/${pythonPrograms.pod}`],
  },
];

/** The languages of Runners in Pods. */
export const podLanguages: readonly PodLanguage[] = languages.map(({ name }) => name);

function languageOf(runtime: string): (typeof languages)[number] | undefined {
  return languages.find(({ prefix }) => runtime.startsWith(prefix));
}

/** The name of the Deployment of a pool. */
export function poolName(runtime: string): string {
  return `fnlet-pool-${runtime.replaceAll('.', '-')}`;
}

/**
 * The Deployment that keeps a pool of warm Runners full. Its Pods are what the strictest profile of
 * the Pod Security Standards ("restricted") asks for: they have no rights, no privileges and no
 * token of the API.
 */
export function planPool(
  { namespace, runtime, replicas }: PoolSize,
  terms: PoolTerms,
): KubeObject & {
  readonly spec: object;
} {
  const labels = { 'app.kubernetes.io/managed-by': 'fnlet', [poolLabel]: runtime };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: poolName(runtime), namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: 30,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65_532,
            runAsGroup: 65_532,
            fsGroup: 65_532,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [container(runtime, terms)],
          volumes: [
            { name: 'program', configMap: programOf(runtime, terms) },
            { name: 'work', emptyDir: {} },
            { name: 'owner', projected: { sources: ownerSources(terms) } },
          ],
        },
      },
    },
  };
}

function programOf(runtime: string, { programs }: PoolTerms): LanguageProgram | undefined {
  const language = languageOf(runtime);
  if (language === undefined) return undefined;
  const { name, items } = programs[language.name];
  return { name, items };
}

function container(runtime: string, terms: PoolTerms): object {
  const { registry, ownerUrl, requests, sharedNetwork = false } = terms;
  const language = languageOf(runtime);
  const image = language?.image(runtime.slice(language.prefix.length)) ?? runtime;
  const flags = {
    '--runtime': runtime,
    '--owner': ownerUrl,
    '--token': `${mounts.owner}/token`,
    '--authority': `${mounts.owner}/ca.crt`,
    '--directory': `${mounts.work}/files`,
    '--port': `${callsPort}`,
    ...(sharedNetwork ? { '--host': '$(POD_IP)' } : {}),
  };
  const podIp = { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } };
  return {
    name: 'function',
    image: registry === undefined ? image : `${registry}/${image}`,
    command: [...(language?.command ?? []), ...Object.entries(flags).flat()],
    ...(sharedNetwork ? { env: [podIp] } : {}),
    ports: [{ name: 'http', containerPort: callsPort, protocol: 'TCP' }],
    // Not ready before it has code: what is not ready gets no calls.
    readinessProbe: { httpGet: { path: '/readyz', port: 'http' }, periodSeconds: 5 },
    livenessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 10 },
    resources: { requests },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'program', mountPath: mounts.program, readOnly: true },
      { name: 'owner', mountPath: mounts.owner, readOnly: true },
      { name: 'work', mountPath: mounts.work },
    ],
  };
}

function ownerSources({ authorityConfigMap }: PoolTerms): readonly object[] {
  return [
    {
      serviceAccountToken: {
        path: 'token',
        audience: 'fnlet-runner',
        expirationSeconds: tokenSeconds,
      },
    },
    { configMap: { name: authorityConfigMap, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  ];
}
