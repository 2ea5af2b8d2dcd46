export { type KymaReason, kymaConditions, kymaReasons } from './kyma/kyma-condition.ts';
export type { KymaEnvVar } from './kyma/kyma-environment.ts';
export {
  type KymaFunctionObject,
  type KymaFunctionSpec,
  type KymaFunctionStatus,
  kymaFunctionCrd,
  kymaFunctionType,
  parseKymaFunction,
  toStoredVersion,
} from './kyma/kyma-function.ts';
export type { KymaResources } from './kyma/kyma-resources.ts';
export type { KymaSource } from './kyma/kyma-source.ts';
