export {
  type Condition,
  type ConditionUpdate,
  findCondition,
  mergeConditions,
} from './condition.ts';
export type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceNames,
  CustomResourceVersion,
  PrinterColumn,
} from './custom-resource-definition.ts';
export { type FieldError, type FieldErrorReason, invalidError } from './field-error.ts';
export type { FieldType } from './field-type.ts';
export type { JsonSchema, ValidationRule } from './json-schema.ts';
export {
  formatApiVersion,
  formatObjectKey,
  type GroupVersionKind,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectKey,
  type ObjectMeta,
  type OwnerReference,
  objectKey,
  parseApiVersion,
  parseObjectKey,
  type ResourceType,
  resourcePath,
} from './object.ts';
export {
  failureStatus,
  type Status,
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
  statusCodes,
  statusError,
} from './status.ts';
export { toKubeMicroTime, toKubeTime } from './time.ts';
