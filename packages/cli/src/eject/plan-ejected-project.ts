import type { FunctionObject, KnownRuntime, RevisionObject } from '@fnlet/api';
import { resolveResources } from '@fnlet/api';
import { parseDuration } from '@fnlet/base';
import type { DependencyLock } from '@fnlet/executor';
import { stringify } from 'yaml';
import { drainMsMin } from '../limits.ts';
import { planNodeProject } from './node-project.ts';
import { planDeployment, planService } from './plan-manifests.ts';
import { planPythonProject } from './python-project.ts';

/** Files by path relative to the project, with `/` between directories. */
export type ProjectFiles = ReadonlyMap<string, string | Uint8Array>;

/** What a project is made of. */
export interface EjectedProject {
  /** Name of the project, of its image and of its objects. */
  readonly name: string;
  readonly owner: FunctionObject;
  /** The Revision that serves: its source names what cannot change. */
  readonly revision: RevisionObject;
  /** The runtime that its own means. */
  readonly runtime: KnownRuntime;
  readonly source: ProjectFiles;
  readonly dependencies: DependencyLock;
  /** The Runner, relative to `runner/`. */
  readonly runner: ProjectFiles;
  readonly bodyBytesMax: number;
}

/** Whether functions of this runtime are in Python. */
export function isPython({ extensions }: KnownRuntime): boolean {
  return extensions.includes('.py');
}

/**
 * The files of a project that builds and runs without Fnlet, and answers as the Revision did: its
 * source as it is below `function/`, the Runner below `runner/`, what it is told in `function.json`.
 * Values of Secrets are not among them: the manifests refer to the Secrets.
 */
export function planEjectedProject(project: EjectedProject): ProjectFiles {
  const { name, owner, revision, runtime, source, dependencies, runner } = project;
  const template = revision.spec;
  const timeoutMs = parseDuration(template.timeout);
  const drainMs = Math.max(timeoutMs, drainMsMin);
  const { packageJson, locked } = dependencies;
  const plan = isPython(runtime) ? planPythonProject : planNodeProject;
  const language = plan({
    name,
    version: runtime.name.replace(/^(nodejs|python)/, ''),
    base: template.imageOverride,
    locked,
    allowInstallScripts: template.allowInstallScripts,
  });
  const replicas = Math.max(1, owner.spec.scale.min);
  const manifests = { name, template, replicas, drainSeconds: Math.ceil(drainMs / 1000) };
  return new Map<string, string | Uint8Array>([
    ...below('runner', runner),
    ...Object.entries(language.files),
    ['function.json', settingsOf(project, { timeoutMs, drainMs })],
    ['k8s/deployment.yaml', toYaml(planDeployment(manifests))],
    ['k8s/service.yaml', toYaml(planService(name))],
    ['README.md', readme(project, language.commands)],
    ...(packageJson === undefined || isPython(runtime)
      ? []
      : [['function/package.json', packageJson] as const]),
    // Last: what the source has itself holds.
    ...below('function', source),
  ]);
}

function toYaml(manifest: object): string {
  return stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false });
}

function* below(directory: string, files: ProjectFiles): Generator<[string, string | Uint8Array]> {
  for (const [path, content] of files) yield [`${directory}/${path}`, content];
}

/** What the Runner is told, but for what only the machine that it runs on knows. */
function settingsOf(
  { revision, bodyBytesMax }: EjectedProject,
  times: { readonly timeoutMs: number; readonly drainMs: number },
): string {
  const { metadata, spec } = revision;
  const { compatibility, resources } = spec;
  const { memoryBytesMax } = resolveResources(resources);
  const settings = {
    namespace: metadata.namespace ?? 'default',
    function: spec.function,
    revision: metadata.name,
    runtime: spec.runtime,
    handler: spec.handler,
    compatibility,
    limits: { ...times, bodyBytesMax, memoryBytesMax },
  };
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}

function readme({ name, revision }: EjectedProject, commands: readonly string[]): string {
  const { git } = revision.spec.source;
  const from = git === undefined ? '' : `, from commit ${git.reference} of ${git.url}`;
  return `# ${name}

The function ${revision.spec.function}${from}, as a project of its own. It needs no Fnlet.

    function/       the function: this is what you edit
    function.json   how it is called: its handler, how long a call may take
    runner/         the server around it
    k8s/            a Deployment and a Service

## Run it

${commands.map((line) => `    ${line}`).join('\n')}
    curl http://localhost:8080/

Another port: the first argument of the server. Its variables are those of the shell; k8s/deployment.yaml
has those that the function was given.

## Bring it to a cluster

    docker build -t ${name}:1 .
    kubectl apply -f k8s/

Push the image where the cluster finds it and put its name into k8s/deployment.yaml. The Secrets, ConfigMaps
and ServiceAccount that the function used are named there; they have to be in the same namespace.
It answers /healthz, /readyz and /metrics, too. It does not sleep: set the number of replicas.
`;
}
