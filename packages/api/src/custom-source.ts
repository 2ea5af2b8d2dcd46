import type { FieldSchema } from './field-schema.ts';
import { sourceContainersMax } from './limits.ts';

/** Events that a program of the user's sends, with a token. */
export interface CustomSource {
  /** The Pod that sends them. Default: whoever has the token. */
  readonly template?: SourcePodTemplate;
}

/** A Pod as a Deployment has it. */
export interface SourcePodTemplate {
  readonly metadata?: SourcePodMetadata;
  readonly spec: SourcePodSpec;
}

export interface SourcePodMetadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** As the API of Pods has it; what is not named here is kept as it is. */
export interface SourcePodSpec {
  readonly containers: readonly unknown[];
}

export const customSourceSchema: FieldSchema<CustomSource> = {
  type: 'object',
  description:
    'Events that a program of your own sends: POST with CloudEvents (binary, structured or a ' +
    'batch) to the address under url of the Secret <name of the Trigger>-source, with the token ' +
    'under token as Authorization: Bearer. They are answered 202 once they are kept.',
  properties: {
    template: {
      type: 'object',
      description:
        'A Pod that sends them: it is run by the Deployment <name of the Trigger>-source, once, ' +
        'and not while the Trigger is paused. Its containers have K_SINK, the address, and ' +
        'K_SINK_TOKEN, the token. Default is none: run the program yourself, wherever it is.',
      properties: {
        metadata: {
          type: 'object',
          description: 'Labels and annotations of the Pod.',
          properties: {
            labels: {
              type: 'object',
              description: 'Labels of the Pod.',
              additionalProperties: { type: 'string', description: 'Value of a label.' },
            },
            annotations: {
              type: 'object',
              description: 'Annotations of the Pod.',
              additionalProperties: { type: 'string', description: 'Value of an annotation.' },
            },
          },
        },
        spec: {
          type: 'object',
          description: 'What the Pod is, as in a Deployment.',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: {
            containers: {
              type: 'array',
              description: 'Its containers, as in a Deployment.',
              items: {
                type: 'object',
                description: 'A container, as in a Deployment.',
                'x-kubernetes-preserve-unknown-fields': true,
              },
              minItems: 1,
              maxItems: sourceContainersMax,
              required: true,
            },
          },
          required: true,
        },
      },
    },
  },
};

/** Name of the Secret with address and token, and of the Deployment, of a custom source. */
export function customSourceName(trigger: string): string {
  return `${trigger}-source`;
}
