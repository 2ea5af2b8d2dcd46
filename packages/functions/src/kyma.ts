export {
  createKymaFunctions,
  type KymaFunctions,
  type KymaFunctionsOptions,
} from './kyma/kyma-functions.ts';
export { type KymaTranslation, translateKyma } from './kyma/translate-kyma.ts';
