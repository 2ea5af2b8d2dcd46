/**
 * The Function that the discussion of Kyma's buildless mode sketched as version 2, and that no Kyma
 * ever served: the source is a text, presets and bounds stand by themselves.
 *
 * An object is kept as it was written, and every version shows it so (conversion strategy None).
 * What differs has no type in the sketched versions, since they show objects of v1alpha2, too.
 */
import { isJsonObject } from '@fnlet/base';
import type { CustomResourceDefinition, CustomResourceVersion, JsonSchema } from '@fnlet/machinery';

/** The heading of the sketch and the manifest below it name different versions. */
const sketchVersions = ['v2alpha1', 'v2alpha2'];

const anything: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };

/** The definition with the sketched versions beside the one that is stored. */
export function withSketch(definition: CustomResourceDefinition): CustomResourceDefinition {
  const [own] = definition.spec.versions;
  if (own === undefined) return definition;
  // What is kept is pruned by the stored version: it lets the presets of a sketch stand.
  const stored = withSpec(own, ({ resourceConfiguration }) => ({
    resourceConfiguration: { ...resourceConfiguration, ...anything },
  }));
  const versions = [stored, ...sketchVersions.map((name) => sketchVersion(own, name))];
  return { ...definition, spec: { ...definition.spec, versions } };
}

function sketchVersion(own: CustomResourceVersion, name: string): CustomResourceVersion {
  const sketch = withSpec(own, ({ source }) => ({
    source: {
      type: 'object',
      description: 'The code: either `inline`, its text, or `gitRepository`.',
      minProperties: 1,
      maxProperties: 1,
      properties: {
        ...source?.properties,
        inline: { description: 'Text of the one module.', ...anything },
      },
    },
    resourceConfiguration: {
      type: 'object',
      description:
        'How much of the machine an Instance may use: either `profile` (XS, S, M, L or XL), or ' +
        '`requests` and `limits`.',
      ...anything,
    },
    // No part of the sketch, but of what it shows.
    podSecurityContext: anything,
    containerSecurityContext: anything,
    scaleConfig: anything,
    template: anything,
  }));
  return { ...sketch, name, storage: false };
}

type Properties = Readonly<Record<string, JsonSchema>>;

function withSpec(
  version: CustomResourceVersion,
  change: (properties: Properties) => Properties,
): CustomResourceVersion {
  const { openAPIV3Schema = {} } = version.schema ?? {};
  const { spec = {} } = openAPIV3Schema.properties ?? {};
  const { properties = {} } = spec;
  const changed = { ...spec, properties: { ...properties, ...change(properties) } };
  const all = { ...openAPIV3Schema.properties, spec: changed };
  return { ...version, schema: { openAPIV3Schema: { ...openAPIV3Schema, properties: all } } };
}

/** What was written as a sketch, in the words of v1alpha2; anything else as it is. */
export function readSketch(value: unknown): unknown {
  if (!isJsonObject(value) || !isJsonObject(value.spec)) return value;
  const { source, resourceConfiguration } = value.spec;
  return {
    ...value,
    spec: {
      ...value.spec,
      ...(isJsonObject(source) ? { source: readSource(source) } : {}),
      ...(isJsonObject(resourceConfiguration)
        ? { resourceConfiguration: readResources(resourceConfiguration) }
        : {}),
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

function readSource({ inline, ...others }: Fields): Fields {
  if (inline === undefined) return others;
  return { ...others, inline: typeof inline === 'string' ? { source: inline } : inline };
}

function readResources({ profile, limits, requests, ...others }: Fields): Fields {
  if (profile === undefined && limits === undefined && requests === undefined) return others;
  const bounds = {
    ...(limits === undefined ? {} : { limits }),
    ...(requests === undefined ? {} : { requests }),
  };
  return { ...others, function: profile === undefined ? { resources: bounds } : { profile } };
}
