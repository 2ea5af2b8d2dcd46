import type { ContainerCommand, VolumeContent } from '@fnlet/executor';
import { expandVariables, type PodPlace } from '@fnlet/machinery';
import { type AccountFiles, type AccountTokens, accountDirectory } from './account-files.ts';
import type { Container, VolumeMount } from './container.ts';
import { planCommand } from './container-command.ts';
import { resolveContainerEnvironment } from './container-environment.ts';
import type { KubeletOptions } from './kubelet-context.ts';
import type { Pod } from './pod.ts';
import type { ReferencedObjects } from './pod-references.ts';
import { accountVolume, planVolumes } from './volume-files.ts';

/** Everything that starting a container takes, or why it cannot be started. */
export type ContainerPlan =
  | {
      readonly kind: 'start';
      readonly command: ContainerCommand;
      readonly imageId: string;
      readonly volumes: readonly VolumeContent[];
    }
  | {
      readonly kind: 'blocked';
      /** Of the waiting state. */
      readonly reason: 'ContainerCreating' | 'CreateContainerConfigError' | 'ErrImagePull';
      readonly eventReason: 'FailedMount' | 'Failed';
      readonly message: string;
    };

export interface ContainerPlanContext {
  readonly pod: Pod;
  readonly place: PodPlace;
  readonly objects: ReferencedObjects;
  readonly accountFiles: AccountFiles | undefined;
  readonly tokens: AccountTokens;
  readonly kubelet: Pick<
    KubeletOptions,
    'runtime' | 'nodeProgram' | 'nodeVersion' | 'allowHostCommands' | 'programPath' | 'api'
  >;
}

/** Decides how a container is started. */
export function planContainer(container: Container, context: ContainerPlanContext): ContainerPlan {
  const { pod, place, objects, accountFiles, tokens, kubelet } = context;
  const { runtime } = kubelet;
  const volumes = planVolumes({ pod, place, objects, accountFiles, tokens });
  if (volumes.kind === 'missing') {
    const { message } = volumes;
    return { kind: 'blocked', reason: 'ContainerCreating', eventReason: 'FailedMount', message };
  }
  const mounts = mountsOf(container, accountFiles !== undefined && runtime.canMount);
  if (mounts.length > 0 && !runtime.canMount) {
    const { mountPath, name } = mounts[0] ?? { mountPath: '', name: '' };
    return configError(
      `volume "${name}" cannot be at ${mountPath}: this machine gives Fnlet no file systems of ` +
        'its own (on Linux allow user namespaces; on macOS and Windows there are none)',
    );
  }
  const environment = resolveContainerEnvironment(container, {
    ...{ pod, place, objects },
    base: baseEnvironment(pod, kubelet),
  });
  if (environment.kind === 'missing') return configError(environment.message);
  const { env } = environment;
  const locate = (program: string, path: string): string | undefined =>
    runtime.locate(program, path);
  const plan = planCommand(container, { ...kubelet, env, locate });
  if (plan.kind === 'refused') {
    const { message } = plan;
    return { kind: 'blocked', reason: 'ErrImagePull', eventReason: 'Failed', message };
  }
  const subPath = (path = ''): string => expandVariables(path, (name) => env[name]);
  return {
    kind: 'start',
    imageId: plan.imageId,
    volumes: volumes.volumes,
    command: {
      pod: pod.metadata.uid ?? '',
      container: container.name,
      command: plan.command,
      env,
      workingDirectory: container.workingDir,
      mounts: mounts.map((mount) => ({
        volume: mount.name,
        subPath: subPath(mount.subPath),
        mountPath: mount.mountPath,
        readOnly: mount.readOnly === true,
      })),
    },
  };
}

/** What the container mounts, and the files of its account if it does not mount others there. */
function mountsOf({ volumeMounts = [] }: Container, hasAccount: boolean): readonly VolumeMount[] {
  const isTaken = volumeMounts.some(({ mountPath }) => mountPath === accountDirectory);
  if (!hasAccount || isTaken) return volumeMounts;
  const account = { name: accountVolume, mountPath: accountDirectory, readOnly: true };
  return [...volumeMounts, account];
}

function configError(message: string): ContainerPlan {
  const reason = 'CreateContainerConfigError';
  return { kind: 'blocked', reason, eventReason: 'Failed', message };
}

/** What every container is told: nothing of this process's own environment but where programs are. */
function baseEnvironment(
  { metadata, spec }: Pod,
  { programPath, api }: Pick<KubeletOptions, 'programPath' | 'api'>,
): Readonly<Record<string, string>> {
  return {
    PATH: programPath,
    HOSTNAME: spec.hostname ?? metadata.name,
    KUBERNETES_SERVICE_HOST: api.host,
    KUBERNETES_SERVICE_PORT: api.port,
  };
}
