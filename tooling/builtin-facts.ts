/**
 * Writes the structural facts of Kubernetes' own kinds (names, numbers, types, list keys: no prose)
 * to packages/apiserver/src/builtins/facts/builtin-messages.json.
 *
 * Run it by hand when the Kubernetes release moves, against the unpacked Go sources of it:
 *
 *     for package in golang-k8s-api-dev golang-k8s-apimachinery-dev golang-k8s-metrics-dev \
 *         golang-k8s-apiextensions-apiserver-dev golang-k8s-client-go-dev; do
 *       apt-get download $package/sid && dpkg -x ${package}_*.deb unpacked
 *     done
 *     go mod download -json k8s.io/kube-aggregator@v0.36.0    # not in Debian; copy it beside them
 *     node tooling/builtin-facts.ts unpacked/usr/share/gocode/src/k8s.io
 *
 * What client-go's server-side apply schema says about lists and maps is compared with the result,
 * and every difference is printed.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareWithApplySchema } from './apply-schema.ts';
import { type GoField, type GoType, parseGoDeclarations } from './go-declarations.ts';
import { repositoryRoot } from './source-file.ts';

const output = 'packages/apiserver/src/builtins/facts/builtin-messages.json';

/** Name of a package in the facts -> where its types are. */
const packages: Readonly<Record<string, string>> = {
  'admissionregistration.v1': 'api/admissionregistration/v1',
  'apiextensions.v1': 'apiextensions-apiserver/pkg/apis/apiextensions/v1',
  'apiregistration.v1': 'kube-aggregator/pkg/apis/apiregistration/v1',
  'apps.v1': 'api/apps/v1',
  'authentication.v1': 'api/authentication/v1',
  'authorization.v1': 'api/authorization/v1',
  'autoscaling.v1': 'api/autoscaling/v1',
  'autoscaling.v2': 'api/autoscaling/v2',
  'batch.v1': 'api/batch/v1',
  'certificates.v1': 'api/certificates/v1',
  'coordination.v1': 'api/coordination/v1',
  'core.v1': 'api/core/v1',
  'discovery.v1': 'api/discovery/v1',
  'events.v1': 'api/events/v1',
  'flowcontrol.v1': 'api/flowcontrol/v1',
  'meta.v1': 'apimachinery/pkg/apis/meta/v1',
  'metrics.v1beta1': 'metrics/pkg/apis/metrics/v1beta1',
  'networking.v1': 'api/networking/v1',
  'node.v1': 'api/node/v1',
  'policy.v1': 'api/policy/v1',
  'rbac.v1': 'api/rbac/v1',
  'resource.v1': 'api/resource/v1',
  'scheduling.v1': 'api/scheduling/v1',
  'storage.v1': 'api/storage/v1',
};

/** Types with a form of their own in JSON or protobuf. */
const special: ReadonlySet<string> = new Set([
  'meta.v1.Duration',
  'meta.v1.FieldsV1',
  'meta.v1.MicroTime',
  'meta.v1.Time',
  'apiextensions.v1.JSON',
  'apiextensions.v1.JSONSchemaPropsOrArray',
  'apiextensions.v1.JSONSchemaPropsOrBool',
  'apiextensions.v1.JSONSchemaPropsOrStringArray',
]);

/** Types of packages that are not read, by package and name. */
const foreign: Readonly<Record<string, string>> = {
  'resource.Quantity': 'Quantity',
  'intstr.IntOrString': 'IntOrString',
  'runtime.RawExtension': 'RawExtension',
  'types.UID': 'string',
  'types.NodeName': 'string',
};

const scalars = new Set(['string', 'bool', 'int32', 'int64', 'float64', 'byte', 'int', 'float32']);

/** Messages that no kind refers to, but that requests carry. */
const extraRoots = [
  'meta.v1.Status',
  'meta.v1.DeleteOptions',
  'meta.v1.CreateOptions',
  'meta.v1.UpdateOptions',
  'meta.v1.PatchOptions',
  'meta.v1.ListOptions',
  'meta.v1.GetOptions',
  'meta.v1.ListMeta',
  'meta.v1.LabelSelector',
  'meta.v1.Condition',
];

interface Package {
  readonly name: string;
  readonly types: ReadonlyMap<string, GoType>;
  readonly constants: ReadonlyMap<string, readonly string[]>;
  readonly imports: ReadonlyMap<string, string>;
  /** The messages of generated.proto. */
  readonly messages: ReadonlySet<string>;
}

type Message = Record<string, string>;

class FactsWriter {
  readonly #packages: ReadonlyMap<string, Package>;
  readonly messages = new Map<string, Message>();

  constructor(read: ReadonlyMap<string, Package>) {
    this.#packages = read;
  }

  /** Adds a type and everything that it refers to. */
  add(full: string): void {
    if (this.messages.has(full)) return;
    const [home, type] = this.#find(full);
    const message: Message = {};
    this.messages.set(full, message);
    const words = [
      ...(isKind(type) ? ['kind'] : []),
      ...(isAtomic(type.markers) ? ['atomic'] : []),
    ];
    if (words.length > 0) message[''] = words.join(' ');
    for (const field of type.fields ?? []) {
      const fact = this.#fieldFact(home, field);
      if (fact !== undefined) message[fact[0]] = fact[1];
    }
    // A named list inside a map is a message with one field.
    if (type.underlying !== undefined) {
      message[''] = 'list';
      message.items = `1 ${this.#typeName(home, type.underlying).type}`;
    }
  }

  #find(full: string): [Package, GoType] {
    const dot = full.lastIndexOf('.');
    const home = this.#packages.get(full.slice(0, dot));
    const type = home?.types.get(full.slice(dot + 1));
    if (home === undefined || type === undefined) throw new Error(`Cannot find the type "${full}"`);
    return [home, type];
  }

  #fieldFact(home: Package, field: GoField): [string, string] | undefined {
    const [jsonName = '', ...jsonFlags] = (field.tags.get('json') ?? '').split(',');
    const protobuf = field.tags.get('protobuf');
    const isInline = jsonFlags.includes('inline');
    if (jsonName === '-' || field.type.endsWith('TypeMeta')) return undefined;
    // Without a number of its own the embedded struct's fields belong to this message.
    const { type, enumValues } = this.#typeName(home, field.type);
    const number = protobuf?.split(',')[1] ?? '0';
    if (number === '0') throw new Error(`Cannot number ${home.name} ${field.type} ${field.name}`);
    const name = isInline ? `(${type.slice(type.lastIndexOf('.') + 1)})` : jsonName;
    const flags = [
      ...jsonFlags.filter((flag) => flag === 'omitempty' || flag === 'omitzero'),
      ...requirement(field, jsonFlags),
      ...listFlags(field),
      ...(isAtomic(field.markers) ? ['atomic'] : []),
      ...(field.markers.includes('structType=granular') ? ['granular'] : []),
      ...patchFlags(field),
      ...defaultFlags(field, type),
      ...(enumValues === undefined ? [] : [`enum=${enumValues.join('|')}`]),
    ];
    return [name, [number, type, ...flags].join(' ')];
  }

  /** A Go type in the words of the facts; what it refers to is added. */
  #typeName(home: Package, text: string): { type: string; enumValues?: readonly string[] } {
    const [, prefix = '', rest = ''] = /^(\*|\[\]|map\[[\w.]+\])?(.*)$/.exec(text) ?? [];
    if (text === '[]byte') return { type: 'bytes' };
    if (prefix !== '') {
      const inner = this.#typeName(home, rest);
      const kept = prefix.startsWith('map') ? 'map[string]' : prefix;
      return { ...inner, type: kept + inner.type };
    }
    if (scalars.has(text)) return { type: text };
    if (foreign[text] !== undefined) return { type: foreign[text] };
    const [owner, name] = this.#resolve(home, text);
    const full = `${owner.name}.${name}`;
    if (special.has(full)) {
      if (full.includes('JSONSchemaPropsOr')) this.add('apiextensions.v1.JSONSchemaProps');
      return { type: name };
    }
    const type = owner.types.get(name);
    if (type === undefined) throw new Error(`Cannot find "${text}" in ${owner.name}`);
    if (type.underlying === undefined || owner.messages.has(name)) {
      this.add(full);
      return { type: full };
    }
    const enumValues = type.markers.includes('enum') ? owner.constants.get(name) : undefined;
    const inner = this.#typeName(owner, type.underlying);
    return enumValues === undefined ? inner : { ...inner, enumValues: [...enumValues].sort() };
  }

  #resolve(home: Package, text: string): [Package, string] {
    if (!text.includes('.')) return [home, text];
    const [alias = '', name = ''] = text.split('.');
    const path = home.imports.get(alias) ?? '';
    for (const [known, folder] of Object.entries(packages)) {
      const owner = this.#packages.get(known);
      if (path === `k8s.io/${folder}` && owner !== undefined) return [owner, name];
    }
    throw new Error(`Cannot resolve "${text}" in ${home.name}: package "${path}" is not read`);
  }
}

function isAtomic(markers: readonly string[]): boolean {
  return markers.includes('structType=atomic') || markers.includes('mapType=atomic');
}

// OpenAPI calls a field required unless it may be left out or is marked otherwise.
function requirement({ markers }: GoField, jsonFlags: readonly string[]): string[] {
  const mayBeLeftOut = jsonFlags.includes('omitempty') || jsonFlags.includes('omitzero');
  const isMarked = markers.includes('required') || markers.includes('k8s:required');
  if (mayBeLeftOut) return isMarked ? ['required'] : [];
  return markers.includes('optional') || markers.includes('k8s:optional') ? ['optional'] : [];
}

function listFlags({ markers }: GoField): string[] {
  const type = markers.find((marker) => marker.startsWith('listType='))?.slice(9);
  const keys = markers
    .filter((marker) => marker.startsWith('listMapKey='))
    .map((marker) => marker.slice(11).replaceAll('"', ''));
  if (type === undefined) return [];
  return [`list=${type}${keys.length === 0 ? '' : `:${keys.join(',')}`}`];
}

function patchFlags({ tags }: GoField): string[] {
  const strategy = tags.get('patchStrategy');
  if (strategy === undefined) return [];
  const key = tags.get('patchMergeKey');
  return [`patch=${strategy}${key === undefined ? '' : `:${key}`}`];
}

function defaultFlags({ markers }: GoField, type: string): string[] {
  const text = markers.find((marker) => marker.startsWith('default='))?.slice(8);
  if (text === undefined || text.startsWith('ref(')) return [];
  return text === '""' && type === 'string' ? [] : [`default=${text.replaceAll(' ', '')}`];
}

function readPackage(root: string, name: string, folder: string): Package {
  const files = [
    'types.go',
    'types_jsonschema.go',
    'fieldsv1_byte.go',
    'time.go',
    'micro_time.go',
    'duration.go',
  ];
  const present = files.map((file) => join(root, folder, file)).filter((path) => existsSync(path));
  const declarations = present.map((path) => parseGoDeclarations(readFileSync(path, 'utf8')));
  const proto = readFileSync(join(root, folder, 'generated.proto'), 'utf8');
  return {
    name,
    types: new Map(declarations.flatMap(({ types }) => types.map((type) => [type.name, type]))),
    constants: new Map(declarations.flatMap(({ constants }) => [...constants])),
    imports: new Map(declarations.flatMap(({ imports }) => [...imports])),
    messages: new Set([...proto.matchAll(/^message (\w+) /gm)].map(([, message = '']) => message)),
  };
}

function isKind({ fields = [] }: GoType): boolean {
  return fields.some(({ type }) => type.endsWith('TypeMeta'));
}

const root = process.argv[2];
if (root === undefined) throw new Error('Cannot read the sources: expected their folder');
const read = new Map(
  Object.entries(packages).map(([name, folder]) => [name, readPackage(root, name, folder)]),
);
const writer = new FactsWriter(read);
for (const [name, { types }] of read) {
  if (name === 'meta.v1') continue;
  for (const type of types.values()) {
    // A list is what every kind has; it says nothing of its own.
    if (isKind(type) && !type.fields?.some((field) => field.type.endsWith('ListMeta'))) {
      writer.add(`${name}.${type.name}`);
    }
  }
}
for (const name of extraRoots) writer.add(name);
const sorted = Object.fromEntries([...writer.messages].sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(join(repositoryRoot, output), `${JSON.stringify(sorted, undefined, 2)}\n`);
const schema = join(root, 'client-go/applyconfigurations/internal/internal.go');
const differences = compareWithApplySchema(sorted, readFileSync(schema, 'utf8'));
process.stdout.write(`${[...differences, `${writer.messages.size} messages`].join('\n')}\n`);
