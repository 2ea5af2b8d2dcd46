export {
  type ApplyConflict,
  conflictStatus,
} from './apply/apply-conflict.ts';
export {
  differenceOf,
  emptyFieldSet,
  equalFieldSets,
  type FieldSet,
  intersectionOf,
  isEmptyFieldSet,
  parseFieldSet,
  pathsOf,
  toFieldsV1,
} from './apply/field-set.ts';
export { type ConfigurationMerge, mergeConfiguration } from './apply/merge-configuration.ts';
export {
  fieldElement,
  fieldName,
  formatPath,
  itemElement,
  type PathElement,
} from './apply/path-element.ts';
export {
  applyInSteps,
  type FieldWrite,
  type ServerSideApply,
  type ServerSideApplyResult,
  type TrackedUpdate,
  trackUpdate,
} from './apply/server-side-apply.ts';
export type { Convert, VersionedValue } from './apply/versioned-value.ts';
export { compareVersions } from './compare-versions.ts';
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
export {
  downwardField,
  type PodPlace,
  type ResourceRequirements,
  type ResourceSelector,
  resourceField,
} from './downward-field.ts';
export { expandVariables } from './expand-variables.ts';
export { type FieldError, type FieldErrorReason, invalidError } from './field-error.ts';
export {
  type FieldRequirement,
  type FieldSelector,
  matchesFields,
  parseFieldSelector,
} from './field-selector.ts';
export type { FieldType, ListType } from './field-type.ts';
export { goTypeName } from './go-type-name.ts';
export {
  applyJsonPatch,
  applyJsonPatchInSteps,
  type JsonPatch,
  type JsonPatchOperation,
  parseJsonPatch,
} from './json-patch.ts';
export { type JsonPath, parseJsonPath } from './json-path.ts';
export type { JsonSchema, ValidationRule } from './json-schema.ts';
export {
  formatLabelSelector,
  type LabelOperator,
  type LabelRequirement,
  type LabelSelector,
  type LabelSelectorSpec,
  labelSelectorFromSpec,
  matchesLabels,
  parseLabelSelector,
} from './label-selector.ts';
export { MachineryError, type MachineryErrorCode } from './machinery-error.ts';
export { applyMergePatch } from './merge-patch.ts';
export { type MetadataRules, validateMetadata } from './metadata.ts';
export {
  generateName,
  labelValueProblems,
  type NameRule,
  nameProblems,
  qualifiedNameProblems,
  validateName,
} from './names.ts';
export {
  formatApiVersion,
  formatGroupVersionKind,
  formatObjectKey,
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
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  type QuantityFormat,
  quantityValue,
} from './quantity.ts';
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
export { runToEnd, type Steps } from './steps.ts';
export { toKubeMicroTime, toKubeTime } from './time.ts';
