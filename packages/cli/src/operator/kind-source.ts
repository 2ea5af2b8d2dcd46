import {
  type CustomResourceDefinitionSpec,
  type CustomResourceVersion,
  compareVersions,
  type JsonSchema,
} from '@fnlet/machinery';

/** What the sources of kinds import; it comes before all of them, once. */
export const kindImports: string =
  "import { type Kind, kind, type ObjectShape } from 'fnlet/operator';\n";

/**
 * The TypeScript source of a kind that a cluster knows already: the types of its objects, with the
 * descriptions, and the kind itself to own, watch or write.
 *
 * @param version the version to take; default: the newest that is served, as clients prefer it.
 * @returns `undefined` when that version is not served.
 */
export function writeKindSource(
  { group, names, scope, versions }: CustomResourceDefinitionSpec,
  version?: string,
): string | undefined {
  const [served] = versions
    .filter((one) => one.served && (version === undefined || one.name === version))
    .toSorted((one, other) => compareVersions(one.name, other.name));
  if (served === undefined) return undefined;
  const { kind, plural } = names;
  const facts = { group, version: served.name, kind, plural, scope };
  const fields = Object.entries(facts).map(([name, value]) => `  ${name}: ${quote(value)},\n`);
  return [
    `\n// ${plural}.${group} in ${served.name}, written by "fnlet operator types".\n\n`,
    writeObject(kind, served),
    `\nexport const ${kind}: Kind<${kind}> = kind({\n${fields.join('')}});\n`,
  ].join('');
}

function writeObject(kind: string, version: CustomResourceVersion): string {
  const { description, properties = {}, required = [] } = version.schema?.openAPIV3Schema ?? {};
  const { apiVersion: _, kind: __, metadata: ___, ...own } = properties;
  const fields = writeFields({ properties: own, required }, '  ');
  // A kind without a schema keeps everything.
  if (fields === '')
    return `${heading(kind, description)}  readonly [field: string]: unknown;\n}\n`;
  return `${heading(kind, description)}${fields}}\n`;
}

function heading(kind: string, description: string | undefined): string {
  return `${comment(description, '')}export interface ${kind} extends ObjectShape {\n`;
}

function writeFields({ properties = {}, required = [] }: JsonSchema, indent: string): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const isThere = required.includes(name) || schema.default !== undefined;
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
    const type = writeType(schema, indent);
    const field = `${indent}readonly ${key}${isThere ? '' : '?'}: ${type};\n`;
    return comment(schema.description, indent) + field;
  });
  return fields.join('');
}

function writeType(schema: JsonSchema, indent: string): string {
  const type = writePlainType(schema, indent);
  return schema.nullable === true ? `${type} | null` : type;
}

function writePlainType(schema: JsonSchema, indent: string): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'number | string';
  if (schema.enum !== undefined) return schema.enum.map((value) => quote(value)).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'number':
      return schema.type;
    case 'integer':
      return 'number';
    case 'array':
      return `readonly ${inParentheses(writeType(schema.items ?? {}, indent))}[]`;
    case 'object':
      return writeObjectType(schema, indent);
    default:
      return 'unknown';
  }
}

function writeObjectType(schema: JsonSchema, indent: string): string {
  const { properties, additionalProperties } = schema;
  if (schema['x-kubernetes-embedded-resource'] === true) {
    return 'ObjectShape & Readonly<Record<string, unknown>>';
  }
  if (typeof additionalProperties === 'object') {
    return `Readonly<Record<string, ${writeType(additionalProperties, indent)}>>`;
  }
  const open =
    additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (properties === undefined) return 'Readonly<Record<string, unknown>>';
  const inner = `${indent}  `;
  const rest = open ? `${inner}readonly [field: string]: unknown;\n` : '';
  return `{\n${writeFields(schema, inner)}${rest}${indent}}`;
}

function inParentheses(type: string): string {
  return /^[\w<>, ]*$/.test(type) && !type.startsWith('readonly ') ? type : `(${type})`;
}

// What a description says is text of others: it must not end the comment that holds it.
function comment(description: string | undefined, indent: string): string {
  if (description === undefined || description.trim() === '') return '';
  const lines = description.trim().replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd());
  return `${indent}/**\n${body.join('\n')}\n${indent} */\n`;
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return typeof value === 'string'
    ? `'${text.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : text;
}
