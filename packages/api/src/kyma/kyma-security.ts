/** The security contexts of core/v1, which Kyma Functions may set. */
import type { FieldSchema } from '../field-schema.ts';

interface Profile {
  readonly type: string;
  readonly localhostProfile?: string;
}

interface SeLinuxOptions {
  readonly level?: string;
  readonly role?: string;
  readonly type?: string;
  readonly user?: string;
}

interface WindowsOptions {
  readonly gmsaCredentialSpec?: string;
  readonly gmsaCredentialSpecName?: string;
  readonly hostProcess?: boolean;
  readonly runAsUserName?: string;
}

interface Identity {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly seccompProfile?: Profile;
  readonly appArmorProfile?: Profile;
  readonly seLinuxOptions?: SeLinuxOptions;
  readonly windowsOptions?: WindowsOptions;
}

/** core/v1 PodSecurityContext. */
export interface KymaPodSecurityContext extends Identity {
  readonly fsGroup?: number;
  readonly fsGroupChangePolicy?: string;
  readonly seLinuxChangePolicy?: string;
  readonly supplementalGroups?: readonly number[];
  readonly supplementalGroupsPolicy?: string;
  readonly sysctls?: readonly { readonly name: string; readonly value: string }[];
}

/** core/v1 SecurityContext. */
export interface KymaContainerSecurityContext extends Identity {
  readonly allowPrivilegeEscalation?: boolean;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly privileged?: boolean;
  readonly procMount?: string;
  readonly readOnlyRootFilesystem?: boolean;
}

const text = (description: string): FieldSchema<string> => ({ type: 'string', description });

const flag = (description: string): FieldSchema<boolean> => ({ type: 'boolean', description });

const id = (description: string): FieldSchema<number> => {
  return { type: 'integer', format: 'int64', description };
};

const names = (description: string): FieldSchema<readonly string[]> => {
  const items = text('Name of one of them.');
  return { type: 'array', description, items, 'x-kubernetes-list-type': 'atomic' };
};

const profile = (description: string): FieldSchema<Profile> => ({
  type: 'object',
  description,
  properties: {
    type: {
      ...text('Which one: RuntimeDefault, Localhost or Unconfined.'),
      type: 'string',
      required: true,
    },
    localhostProfile: text('Where a Localhost profile lies on the node.'),
  },
});

type Properties<T> = Extract<FieldSchema<T>, { readonly properties: unknown }>['properties'];

const identity: Properties<Identity> = {
  runAsUser: id('Number of the user that runs the process.'),
  runAsGroup: id('Number of the primary group of the process.'),
  runAsNonRoot: flag('Whether a process of root is refused.'),
  seccompProfile: profile('The seccomp profile.'),
  appArmorProfile: profile('The AppArmor profile.'),
  seLinuxOptions: {
    type: 'object',
    description: 'The SELinux context.',
    properties: {
      level: text('SELinux level.'),
      role: text('SELinux role.'),
      type: text('SELinux type.'),
      user: text('SELinux user.'),
    },
  },
  windowsOptions: {
    type: 'object',
    description: 'Settings of Windows.',
    properties: {
      gmsaCredentialSpec: text('The GMSA credential specification.'),
      gmsaCredentialSpecName: text('The name of the GMSA credential specification.'),
      hostProcess: flag('Whether it is a HostProcess container.'),
      runAsUserName: text('Name of the user that runs the process.'),
    },
  },
};

export const kymaPodSecurityContextSchema: FieldSchema<KymaPodSecurityContext> = {
  type: 'object',
  description: 'Security settings of the Pods of the function.',
  properties: {
    ...identity,
    fsGroup: id('Number of the group that owns the volumes.'),
    fsGroupChangePolicy: text('When volumes are given to that group.'),
    seLinuxChangePolicy: text('How volumes are labelled for SELinux.'),
    supplementalGroups: {
      type: 'array',
      description: 'Numbers of further groups of the process.',
      items: id('Number of a group.'),
      'x-kubernetes-list-type': 'atomic',
    },
    supplementalGroupsPolicy: text('How further groups are found.'),
    sysctls: {
      type: 'array',
      description: 'Settings of the kernel.',
      items: {
        type: 'object',
        description: 'One of them.',
        properties: {
          name: { type: 'string', description: 'Its name.', required: true },
          value: { type: 'string', description: 'Its value.', required: true },
        },
      },
      'x-kubernetes-list-type': 'atomic',
    },
  },
};

export const kymaContainerSecurityContextSchema: FieldSchema<KymaContainerSecurityContext> = {
  type: 'object',
  description: 'Security settings of the container of the function.',
  properties: {
    ...identity,
    allowPrivilegeEscalation: flag('Whether a process may gain privileges.'),
    capabilities: {
      type: 'object',
      description: 'Capabilities of the process.',
      properties: { add: names('Those added.'), drop: names('Those taken away.') },
    },
    privileged: flag('Whether the container is privileged.'),
    procMount: text('How /proc is mounted.'),
    readOnlyRootFilesystem: flag('Whether the root of the file system cannot be written.'),
  },
};
