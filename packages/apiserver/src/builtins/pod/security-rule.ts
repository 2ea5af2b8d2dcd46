import { listField } from '../../object/object-form.ts';
import { invalid } from '../refusal.ts';
import {
  about,
  all,
  between,
  each,
  fields,
  must,
  oneOf,
  type Rule,
  required,
  uniqueBy,
  whenSet,
} from '../rule.ts';

// core/v1 PodSecurityContext and SecurityContext: what processes may do.

const userId = between(0, 2_147_483_647);

const profile = whenSet(
  all(
    fields({
      type: required(
        oneOf('Localhost', 'RuntimeDefault', 'Unconfined'),
        'type is required when seccompProfile is set',
      ),
    }),
    about(({ type, localhostProfile }, path) => {
      const at = `${path}.localhostProfile`;
      const given = typeof localhostProfile === 'string';
      if (type === 'Localhost') return required()(localhostProfile, at);
      const text = 'can only be set when seccomp type is Localhost';
      return given ? [invalid(at, localhostProfile, text)] : [];
    }),
  ),
);

const identity = {
  runAsUser: userId,
  runAsGroup: userId,
  seccompProfile: profile,
};

const sysctlName = must(
  (name) => /^[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/.test(`${name}`),
  'must have at most 253 characters and match regex ' +
    '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
);

/** What the processes of a Pod may do. */
export const podSecurity: Rule = whenSet(
  fields({
    fsGroup: userId,
    supplementalGroups: each(userId),
    ...identity,
    sysctls: all(each(fields({ name: required(sysctlName) })), uniqueBy('name')),
    fsGroupChangePolicy: oneOf('Always', 'OnRootMismatch'),
    supplementalGroupsPolicy: oneOf('Merge', 'Strict'),
  }),
);

const escalation: Rule = about(({ allowPrivilegeEscalation, privileged, capabilities }, path) => {
  if (allowPrivilegeEscalation !== false) return [];
  const says = 'cannot set `allowPrivilegeEscalation` to false and ';
  if (privileged === true) return [invalid(path, {}, `${says}\`privileged\` to true`)];
  const added = listField({ items: [capabilities] }, 'items').flatMap(({ add }) => add);
  return added.includes('CAP_SYS_ADMIN')
    ? [invalid(path, {}, `${says}\`capabilities.Add\` CAP_SYS_ADMIN`)]
    : [];
});

/** What the processes of a container may do. */
export const containerSecurity: Rule = whenSet(
  all(fields({ ...identity, procMount: oneOf('Default', 'Unmasked') }), escalation),
);
