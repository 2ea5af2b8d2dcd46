import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isJsonObject } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import type { CustomResourceDefinition, ResourceType } from '@fnlet/machinery';
import type { CliContext, GlobalOptions } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { kindImports, writeKindSource } from '../operator/kind-source.ts';

export interface OperatorTypesOptions extends GlobalOptions {
  /** The name of a CustomResourceDefinition in the cluster, or a file that holds some. */
  readonly source: string;
  readonly apiVersion?: string;
}

const definitionType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/** `fnlet operator types`: prints the TypeScript source of kinds that others have defined. */
export async function printTypes(
  options: OperatorTypesOptions,
  context: CliContext,
): Promise<void> {
  const definitions = /\.(ya?ml|json)$/.test(options.source)
    ? await readDefinitions(options.source, context)
    : [await getDefinition(options, context)];
  const sources = definitions.map(({ spec, metadata }) => {
    const source = writeKindSource(spec, options.apiVersion);
    if (source === undefined) {
      const served = spec.versions.filter((each) => each.served).map(({ name }) => name);
      const text = `Cannot write types of "${metadata.name}": version ${options.apiVersion} is not served`;
      throw new CliError(exitCodes.failed, text, {
        remedy: `Choose one of ${served.join(', ')} with --api-version`,
      });
    }
    return source;
  });
  context.stdout.write([kindImports, ...sources].join(''));
}

async function getDefinition(
  options: OperatorTypesOptions,
  context: CliContext,
): Promise<CustomResourceDefinition> {
  await using connection = await connect(options, context);
  const client = createClient(connection.transport, { fieldManager: 'fnlet' });
  const key = { namespace: '', name: options.source };
  const definitions = client.of<CustomResourceDefinition>(definitionType);
  // Awaited here: the connection ends with this function.
  return await definitions.get(key, { signal: context.signal });
}

async function readDefinitions(
  file: string,
  { workingDirectory }: CliContext,
): Promise<CustomResourceDefinition[]> {
  const { parseAllDocuments } = await import('yaml');
  const text = await readFile(resolve(workingDirectory, file), 'utf8');
  const documents = parseAllDocuments(text).map((document): unknown => document.toJS());
  const definitions = documents.filter(isDefinition);
  if (definitions.length === 0) {
    throw new CliError(
      exitCodes.failed,
      `Cannot write types of "${file}": no CustomResourceDefinition (apiextensions.k8s.io/v1) in it`,
    );
  }
  return definitions;
}

function isDefinition(value: unknown): value is CustomResourceDefinition {
  if (!isJsonObject(value) || value.kind !== 'CustomResourceDefinition') return false;
  const { spec } = value;
  return (
    value.apiVersion === 'apiextensions.k8s.io/v1' &&
    isJsonObject(value.metadata) &&
    isJsonObject(spec) &&
    isJsonObject(spec.names) &&
    typeof spec.names.kind === 'string' &&
    typeof spec.names.plural === 'string' &&
    Array.isArray(spec.versions) &&
    spec.versions.every((version) => isJsonObject(version) && typeof version.name === 'string')
  );
}
