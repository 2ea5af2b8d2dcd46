import type { FieldSchema } from './field-schema.ts';

/** A Secret in the Function's namespace. */
export interface SecretReference {
  readonly name: string;
}

/** @param description what its keys are */
export function secretReferenceSchema(description: string): FieldSchema<SecretReference> {
  return {
    type: 'object',
    description,
    properties: {
      name: {
        type: 'string',
        description: 'Name of the Secret. It must be in the namespace of the Function.',
        minLength: 1,
        maxLength: 253,
        required: true,
      },
    },
  };
}
