import type { ResourceType } from '@fnlet/machinery';

/** apps/v1 Deployment. */
export const deploymentType: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

/** core/v1 Service. */
export const serviceType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
};
