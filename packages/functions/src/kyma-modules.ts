export {
  type KymaModule,
  type KymaModulesOptions,
  kymaModules,
} from './kyma-modules/kyma-modules.ts';
export { type ApiRuleTranslation, translateApiRule } from './kyma-modules/translate-api-rule.ts';
export {
  type ScaledObjectTranslation,
  translateScaledObject,
} from './kyma-modules/translate-scaled-object.ts';
export {
  type SubscriptionTranslation,
  translateSubscription,
} from './kyma-modules/translate-subscription.ts';
