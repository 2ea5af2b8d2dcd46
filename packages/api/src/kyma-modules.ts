export {
  type ApiRuleObject,
  type ApiRuleSpec,
  apiRuleCrd,
  apiRuleType,
  parseApiRule,
} from './kyma-modules/api-rule.ts';
export {
  parseScaledObject,
  type ScaledObjectObject,
  type ScaledObjectTrigger,
  scaledObjectCrd,
  scaledObjectType,
} from './kyma-modules/scaled-object.ts';
export {
  parseSubscription,
  type SubscriptionObject,
  type SubscriptionSpec,
  subscriptionCrd,
  subscriptionType,
} from './kyma-modules/subscription.ts';
