export type {
  CelAccessCheck,
  CelAccessDecision,
  CelAuthorizer,
  CelResourceCheck,
} from './cel-access.ts';
export {
  CelComposition,
  type CelCompositionOptions,
  type ComposedExpression,
  type ComposedResult,
  type CompositionValues,
} from './cel-composition.ts';
export { CelError, type CelErrorCode } from './cel-error.ts';
export { type CelProgram, type CelVariable, compileCel } from './cel-program.ts';
export {
  type CompiledSchema,
  type CompileSchemaOptions,
  compileSchema,
} from './compiled-schema.ts';
export {
  type Cidr,
  containsCidr,
  formatCidr,
  type IpAddress,
  maskedCidr,
  parseCidr,
  parseIp,
} from './ip-address.ts';
export { buildOpenApi, type OpenApiGroup } from './open-api.ts';
export type { OpenApiResource } from './open-api-resource.ts';
export { toOpenApiV2 } from './open-api-v2.ts';
export { checkStructural } from './structural.ts';
export type { PassedRules } from './structural-rule.ts';
