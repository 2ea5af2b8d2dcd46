import type { PodMount, PodUser } from '../executor.ts';
import { pythonFlags, pythonPrograms } from '../python-runner.ts';

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

/** Where in a Pod the program of the Runner is, what it reaches its owner with, and its files. */
export const places = { program: '/fnlet/program', owner: '/fnlet/owner', work: '/fnlet/work' };

/** The container of a Runner's Pod that is the Runner. */
export const runnerContainer = 'function';

/** The port on which Runners in Pods answer calls. */
export const callsPort = 8080;

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
    command: ['node', `${places.program}/src/pod-main.mjs`, '--cache', `${places.work}/cache`],
  },
  {
    name: 'python',
    prefix: 'python',
    image: (version) => `python:${version}-slim`,
    // The program is read-only, so nothing of it is compiled for a next time.
    command: ['python3', ...pythonFlags, '-B', `${places.program}/${pythonPrograms.pod}`],
  },
];

/** The languages of Runners in Pods. */
export const podLanguages: readonly PodLanguage[] = languages.map(({ name }) => name);

function languageOf(runtime: string): (typeof languages)[number] | undefined {
  return languages.find(({ prefix }) => runtime.startsWith(prefix));
}

/** What the Pods of one Revision have besides; those of a pool have none of it. */
export interface RunnerPodWishes {
  /** Default: the stock image of the runtime. */
  readonly image?: string | undefined;
  /** The ServiceAccount, whose token the Pod then has. Default: none that it could use. */
  readonly serviceAccountName?: string | undefined;
  readonly resources?: { readonly requests?: object; readonly limits?: object } | undefined;
  readonly mounts?: readonly PodMount[] | undefined;
  /** Fields of core/v1 PodSpec as they are. */
  readonly settings?: object | undefined;
  readonly user?: PodUser | undefined;
  /** How long a Pod that is deleted has to end by itself. Default: as a kubelet has it. */
  readonly graceSeconds?: number | undefined;
  /** Labels of the Pods that it is to be apart from, where it may be. Default: the scheduler's. */
  readonly apartFrom?: Readonly<Record<string, string>> | undefined;
}

const usualGraceSeconds = 30;
const usualUser = { runAsUser: 65_532, runAsGroup: 65_532, fsGroup: 65_532 };

/**
 * The core/v1 PodSpec of a Pod with a Runner. It is what the strictest profile of the Pod Security
 * Standards ("restricted") asks for, with a root file system that is read only, and without a
 * token of the API unless an account is named.
 */
export function planRunnerPod(
  runtime: string,
  terms: PoolTerms,
  wishes: RunnerPodWishes = {},
): object {
  const { serviceAccountName, mounts = [], settings, user } = wishes;
  return {
    ...(wishes.apartFrom === undefined ? {} : planSpread(wishes.apartFrom)),
    ...settings,
    ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
    automountServiceAccountToken: serviceAccountName !== undefined,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: wishes.graceSeconds ?? usualGraceSeconds,
    securityContext: {
      runAsNonRoot: true,
      ...usualUser,
      ...user,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [container(runtime, terms, wishes)],
    volumes: [
      { name: 'program', configMap: programOf(runtime, terms) },
      { name: 'work', emptyDir: {} },
      { name: 'owner', projected: { sources: ownerSources(terms) } },
      ...mounts.map(volumeOf),
    ],
  };
}

/**
 * Over zones as evenly as that goes, so that Gateways find Instances near them, and over Nodes as
 * the scheduler has it for whoever says nothing.
 */
function planSpread(matchLabels: Readonly<Record<string, string>>): object {
  const spread = (topologyKey: string, maxSkew: number): object => ({
    ...{ topologyKey, maxSkew, whenUnsatisfiable: 'ScheduleAnyway' },
    labelSelector: { matchLabels },
  });
  const [zone, node] = ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'];
  return { topologySpreadConstraints: [spread(zone, 1), spread(node, 3)] };
}

/** The image that a runtime has, unless something else is asked for. */
export function stockImage(runtime: string, { registry }: Pick<PoolTerms, 'registry'>): string {
  const language = languageOf(runtime);
  const image = language?.image(runtime.slice(language.prefix.length)) ?? runtime;
  return registry === undefined ? image : `${registry}/${image}`;
}

function resourcesOf({ resources = {} }: RunnerPodWishes, { requests }: PoolTerms): object {
  const { limits } = resources;
  const hasLimits = limits !== undefined && Object.keys(limits).length > 0;
  return { requests: { ...requests, ...resources.requests }, ...(hasLimits ? { limits } : {}) };
}

function volumeOf({ secret, configMap, path: _, ...rest }: PodMount, index: number): object {
  const name = mountName(index);
  if (secret !== undefined) return { name, secret: { secretName: secret, ...rest } };
  return { name, configMap: { name: configMap, ...rest } };
}

function mountName(index: number): string {
  return `mount-${index}`;
}

function programOf(runtime: string, { programs }: PoolTerms): LanguageProgram | undefined {
  const language = languageOf(runtime);
  if (language === undefined) return undefined;
  const { name, items } = programs[language.name];
  return { name, items };
}

function container(runtime: string, terms: PoolTerms, wishes: RunnerPodWishes): object {
  const { ownerUrl, sharedNetwork = false } = terms;
  const language = languageOf(runtime);
  const { mounts = [] } = wishes;
  const flags = {
    '--runtime': runtime,
    '--owner': ownerUrl,
    '--token': `${places.owner}/token`,
    '--authority': `${places.owner}/ca.crt`,
    '--directory': `${places.work}/files`,
    '--port': `${callsPort}`,
    ...(sharedNetwork ? { '--host': '$(POD_IP)' } : {}),
  };
  const podIp = { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } };
  return {
    name: runnerContainer,
    image: wishes.image ?? stockImage(runtime, terms),
    command: [...(language?.command ?? []), ...Object.entries(flags).flat()],
    ...(sharedNetwork ? { env: [podIp] } : {}),
    ports: [{ name: 'http', containerPort: callsPort, protocol: 'TCP' }],
    // Not ready before it has code: what is not ready gets no calls.
    readinessProbe: { httpGet: { path: '/readyz', port: 'http' }, periodSeconds: 5 },
    livenessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 10 },
    resources: resourcesOf(wishes, terms),
    // Why a container ends before it could tell its owner.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'program', mountPath: places.program, readOnly: true },
      { name: 'owner', mountPath: places.owner, readOnly: true },
      { name: 'work', mountPath: places.work },
      ...mounts.map(({ path }, index) => ({
        name: mountName(index),
        mountPath: path,
        readOnly: true,
      })),
    ],
  };
}

/** What a Pod reaches its owner with: a token of its own, and the owner's authority. */
export function ownerSources({
  authorityConfigMap,
}: Pick<PoolTerms, 'authorityConfigMap'>): readonly object[] {
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
