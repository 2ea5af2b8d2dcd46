/**
 * A schema as a CustomResourceDefinition writes it (apiextensions.k8s.io/v1 JSONSchemaProps):
 * OpenAPI v3 with Kubernetes' extensions, without `$ref`.
 */
export interface JsonSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

/** A CEL rule of a schema (KEP-2876). */
export interface ValidationRule {
  /** A CEL expression over `self` (and `oldSelf` in transition rules) that must be true. */
  readonly rule: string;
  /** What to say when it is not; must tell the reader what to do. */
  readonly message?: string;
  /** A CEL expression that gives the message. */
  readonly messageExpression?: string;
  readonly reason?:
    | 'FieldValueInvalid'
    | 'FieldValueForbidden'
    | 'FieldValueRequired'
    | 'FieldValueDuplicate';
  /** A JSON path relative to the place of the rule that the error is reported at. */
  readonly fieldPath?: string;
  /** Whether `oldSelf` is an optional, so that a transition rule also runs at creation. */
  readonly optionalOldSelf?: boolean;
}
