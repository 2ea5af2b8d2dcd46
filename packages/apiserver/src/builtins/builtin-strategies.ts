import type { Strategy } from '../strategy.ts';
import { configMapStrategy } from './config-map.ts';
import { customResourceDefinitionStrategy } from './custom-resource-definition.ts';
import { coreEventStrategy, eventStrategy } from './event.ts';
import { leaseStrategy } from './lease.ts';
import { namespaceStrategy } from './namespace.ts';
import { podStrategy } from './pod.ts';
import { secretStrategy } from './secret.ts';
import {
  selfSubjectAccessReviewStrategy,
  selfSubjectReviewStrategy,
} from './self-subject-reviews.ts';
import { serviceStrategy } from './service.ts';
import { serviceAccountStrategy } from './service-account.ts';

/** Every kind that is there without a CustomResourceDefinition. */
export const builtinStrategies: readonly Strategy[] = [
  configMapStrategy,
  coreEventStrategy,
  namespaceStrategy,
  podStrategy,
  secretStrategy,
  serviceStrategy,
  serviceAccountStrategy,
  selfSubjectReviewStrategy,
  selfSubjectAccessReviewStrategy,
  leaseStrategy,
  eventStrategy,
  customResourceDefinitionStrategy,
];
