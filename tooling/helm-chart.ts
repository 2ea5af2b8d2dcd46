/** Prints templates of manifests as a Helm chart has them. */
import { isJsonObject } from '../packages/base/src/index.ts';
import type { InstallSetting } from '../packages/cli/src/install/install-settings.ts';
import {
  type ChoiceSlot,
  isChoiceSlot,
  isList,
  isTextSlot,
  isValueSlot,
  type ManifestTemplate,
  type Template,
  type TemplateFields,
  type ValueSlot,
} from '../packages/cli/src/install/manifest-template.ts';

/** Objects of a template in one file of a chart. */
export function printManifests(manifests: readonly ManifestTemplate[]): string {
  const documents = manifests.map(({ when, object }) => {
    const lines = ['---', ...printFields(object, '')];
    return when === undefined ? lines : [`{{- if ${reference(when)} }}`, ...lines, '{{- end }}'];
  });
  return `${documents.flat().join('\n')}\n`;
}

/** A text that a template engine leaves as it is. */
export function escapeForHelm(yaml: string): string {
  return yaml.replaceAll('{{', '{{ "{{" }}');
}

/** Where a chart finds a setting: Helm has its own word for the namespace. */
function reference(path: string): string {
  return path === 'namespace' ? '.Release.Namespace' : `.Values.${path}`;
}

function printFields(fields: TemplateFields, indent: string): string[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    field === undefined ? [] : printEntry(`${indent}${name}:`, field, indent),
  );
}

/** What follows `head`, which is a name with a colon or the dash of a list. */
function printEntry(head: string, entry: Template, indent: string): string[] {
  if (typeof entry === 'object' && isChoiceSlot(entry)) return printChoice(head, entry, indent);
  const scalar = printScalar(entry);
  if (scalar !== undefined) return [`${head} ${scalar}`];
  if (typeof entry !== 'object') return [];
  const inner = `${indent}  `;
  if (isList(entry)) {
    return [head, ...entry.flatMap((item) => printItem(item, inner))];
  }
  return isFields(entry) ? [head, ...printFields(entry, inner)] : [];
}

function printChoice(head: string, choice: ChoiceSlot, indent: string): string[] {
  const { $if, then, otherwise } = choice;
  const condition = then === undefined ? `not ${reference($if)}` : reference($if);
  const first = then ?? otherwise;
  if (first === undefined) return [];
  const second = then === undefined ? undefined : otherwise;
  return [
    `{{- if ${condition} }}`,
    ...printEntry(head, first, indent),
    ...(second === undefined ? [] : ['{{- else }}', ...printEntry(head, second, indent)]),
    '{{- end }}',
  ];
}

function printItem(item: Template, indent: string): string[] {
  if (typeof item === 'object' && isChoiceSlot(item)) {
    const { $if, then } = item;
    if (then === undefined || item.otherwise !== undefined)
      throw new Error('items only have "then"');
    return [`{{- if ${reference($if)} }}`, ...printItem(then, indent), '{{- end }}'];
  }
  const scalar = printScalar(item);
  if (scalar !== undefined) return [`${indent}- ${scalar}`];
  if (typeof item !== 'object' || isList(item) || !isFields(item)) return [];
  // A field may be left out by its choice, the dash of its item may not.
  return [`${indent}-`, ...printFields(item, `${indent}  `)];
}

/** What stands on the line of its name; `undefined` for lists and fields with something in them. */
function printScalar(template: Template): string | undefined {
  if (typeof template !== 'object') return escapeForHelm(JSON.stringify(template));
  if (isValueSlot(template)) return printValue(template);
  if (isTextSlot(template)) {
    const parts = template.$text.map((part) =>
      typeof part === 'string'
        ? escapeForHelm(JSON.stringify(part).slice(1, -1))
        : `{{ ${reference(part.$value)} }}`,
    );
    return `"${parts.join('')}"`;
  }
  if (isList(template)) return template.length === 0 ? '[]' : undefined;
  return Object.keys(template).length === 0 ? '{}' : undefined;
}

function printValue({ $value }: ValueSlot): string {
  if ($value !== 'image') return `{{ ${reference($value)} | toJson }}`;
  const message =
    'set image: build it with deploy/Dockerfile and push it where the cluster finds it';
  return `{{ required "${message}" .Values.image | toJson }}`;
}

function isFields(template: Template): template is TemplateFields {
  return typeof template === 'object' && !isList(template) && !isChoiceSlot(template);
}

/** `values.yaml`: every setting with what it means. */
export function printValues(settings: readonly InstallSetting[]): string {
  const lines: string[] = ['# Made by tooling/deploy.ts; docs/cluster.md has the same as a table.'];
  let group: string | undefined;
  for (const setting of settings) {
    const { path, description, choices } = setting;
    const [first = '', second] = path.split('.');
    const indent = second === undefined ? '' : '  ';
    if (second !== undefined && first !== group) lines.push(`${first}:`);
    group = second === undefined ? undefined : first;
    const chosen = choices === undefined ? '' : ` (${choices.join(', ')})`;
    lines.push(`${indent}# ${description}${chosen}`);
    lines.push(`${indent}${second ?? first}: ${JSON.stringify(setting.default)}`);
  }
  return `${lines.join('\n')}\n`;
}

const schemaTypes = {
  text: 'string',
  quantity: 'string',
  count: 'integer',
  switch: 'boolean',
  fields: 'object',
  list: 'array',
} as const;

/** What else holds for a value of that kind. */
const schemaBounds: Readonly<Record<InstallSetting['kind'], object>> = {
  text: {},
  quantity: { pattern: '^([0-9]+\\.?[0-9]*|\\.[0-9]+)([EPTGM]i?|Ki|[kmun]|[eE][+-]?[0-9]+)?$' },
  count: { minimum: 1 },
  switch: {},
  fields: { additionalProperties: { type: 'string' } },
  list: { items: { type: 'object' } },
};

/** `values.schema.json`: Helm refuses what `fnlet install` would. */
export function planValuesSchema(settings: readonly InstallSetting[]): object {
  const properties: Record<string, unknown> = {};
  for (const { path, kind, choices, description } of settings) {
    const [first = '', second] = path.split('.');
    const own = {
      type: schemaTypes[kind],
      description,
      ...(choices === undefined ? {} : { enum: choices }),
      ...schemaBounds[kind],
    };
    if (second === undefined) {
      properties[first] = own;
      continue;
    }
    const known = properties[first];
    const members = isJsonObject(known) && isJsonObject(known.properties) ? known.properties : {};
    properties[first] = {
      ...{ type: 'object', additionalProperties: false },
      properties: { ...members, [second]: own },
    };
  }
  // Helm itself adds `global`.
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...{ type: 'object', additionalProperties: false },
    properties: { ...properties, global: { type: 'object' } },
  };
}
