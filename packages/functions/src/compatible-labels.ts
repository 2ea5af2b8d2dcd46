import { type Compatibility, functionLabel } from '@fnlet/api';

const kyma = 'serverless.kyma-project.io';

/**
 * The labels by which others find the Instances of a Function: its Pods have them all, and its
 * Service selects by exactly these. Clients of Kyma count them; those of Kubeless know two.
 */
export function compatibleLabels(
  owner: { readonly name: string; readonly uid: string },
  compatibility: Compatibility | undefined,
): Readonly<Record<string, string>> {
  switch (compatibility) {
    case 'kyma':
      return {
        [`${kyma}/function-name`]: owner.name,
        [`${kyma}/managed-by`]: 'function-controller',
        [`${kyma}/resource`]: 'deployment',
        [`${kyma}/uuid`]: owner.uid,
      };
    case 'kubeless':
      return { 'created-by': 'kubeless', function: owner.name };
    case undefined:
      return { [functionLabel]: owner.name };
  }
}
