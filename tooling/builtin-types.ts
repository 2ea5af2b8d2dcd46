/**
 * Writes the TypeScript types of Kubernetes' own kinds, from the structural facts that the embedded
 * API serves them by: `node tooling/builtin-types.ts`. They are types only: nothing is loaded.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../packages/base/src/index.ts';
import { repositoryRoot } from './source-file.ts';

/** The messages that have types: these, and whatever they hold. */
const kinds = [
  ...['ConfigMap', 'Endpoints', 'Event', 'Namespace', 'Node', 'PersistentVolume'],
  ...['PersistentVolumeClaim', 'Pod', 'Secret', 'Service', 'ServiceAccount'],
]
  .map((kind) => `core.v1.${kind}`)
  .concat(
    ['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'].map((kind) => `apps.v1.${kind}`),
    ['CronJob', 'Job'].map((kind) => `batch.v1.${kind}`),
    ['Ingress', 'NetworkPolicy'].map((kind) => `networking.v1.${kind}`),
    ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map((kind) => `rbac.v1.${kind}`),
    ['coordination.v1.Lease', 'autoscaling.v2.HorizontalPodAutoscaler'],
    ['policy.v1.PodDisruptionBudget', 'discovery.v1.EndpointSlice'],
  );

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  bytes: 'string',
  Time: 'string',
  MicroTime: 'string',
  Duration: 'string',
  bool: 'boolean',
  int32: 'number',
  int64: 'number',
  float64: 'number',
  Quantity: 'string | number',
  IntOrString: 'string | number',
  RawExtension: 'unknown',
  FieldsV1: 'unknown',
  JSON: 'unknown',
};

type Messages = Readonly<Record<string, Readonly<Record<string, string>>>>;

const facts = join(repositoryRoot, 'packages/apiserver/src/builtins/facts/builtin-messages.json');
/** Where the types are, a file for each group and version. */
export const target: string = join(repositoryRoot, 'packages/sdk/src/operator/kinds');

/** File name -> text, for all messages that the kinds hold. */
export function writeTypes(messages: Messages): Map<string, string> {
  const wanted = new Set(kinds);
  for (const name of wanted) for (const used of messagesIn(messages[name] ?? {})) wanted.add(used);
  const packages = Map.groupBy([...wanted].toSorted(), packageOf);
  return new Map(
    [...packages].map(([name, members]) => {
      const interfaces = members.map((member) => writeInterface(member, messages[member] ?? {}));
      const body = interfaces.join('\n');
      const others = [...packages.keys()].filter((other) => body.includes(`${idOf(other)}.`));
      const imports = [
        ...others.map((other) => `import type * as ${idOf(other)} from './${other}.ts';`),
        ...(/\bObjectMeta\b/.test(body) ? ["import type { ObjectMeta } from '../object.ts';"] : []),
      ];
      const head = '// Written by tooling/builtin-types.ts from the facts of Kubernetes 1.36.';
      return [name, `${[head, ...imports, '', body].join('\n')}`];
    }),
  );
}

function* messagesIn(message: Readonly<Record<string, string>>): Generator<string> {
  for (const [field, text] of Object.entries(message)) {
    const name = typeOf(text).replace(/^(\[\]|map\[string\])+/, '');
    if (field !== '' && /\.v\d/.test(name) && name !== 'meta.v1.ObjectMeta') yield name;
  }
}

/** `core.v1.Pod` is in `core-v1`. */
function packageOf(message: string): string {
  const [group = '', version = ''] = message.split('.');
  return `${group}-${version}`;
}

function idOf(packageName: string): string {
  return packageName.replace(/-v(.*)$/, 'V$1');
}

function typeOf(text: string): string {
  return text.split(' ')[1]?.replace(/^\*/, '') ?? '';
}

function writeInterface(name: string, message: Readonly<Record<string, string>>): string {
  const isKind = message['']?.split(' ').includes('kind') === true;
  const own = Object.entries(message).filter(([field]) => field !== '');
  const inlined = own.filter(([field]) => field.startsWith('(')).map(([, text]) => typeOf(text));
  const parents = inlined.map((parent) => reference(parent, packageOf(name)));
  const fields = own
    .filter(([field]) => !field.startsWith('('))
    .map(([field, text]) => writeField(field, text, { home: packageOf(name), isKind }));
  const kindFields = isKind ? ['readonly apiVersion: string;', 'readonly kind: string;'] : [];
  const heritage = parents.length === 0 ? '' : ` extends ${parents.join(', ')}`;
  const lines = [...kindFields, ...fields].map((line) => `  ${line}\n`);
  return `export interface ${name.split('.').at(-1)}${heritage} {\n${lines.join('')}}\n`;
}

function writeField(
  name: string,
  text: string,
  { home, isKind }: { readonly home: string; readonly isKind: boolean },
): string {
  const values = / enum=(.*)$/.exec(text)?.[1]?.split('|');
  const type = writeType(typeOf(text), home, values);
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  if (type === 'ObjectMeta') {
    return isKind ? 'readonly metadata: ObjectMeta;' : `readonly ${key}?: Partial<ObjectMeta>;`;
  }
  // A projection may leave out anything, and what is wanted holds only what it is about.
  return `readonly ${key}?: ${type};`;
}

function writeType(type: string, home: string, values: readonly string[] | undefined): string {
  if (type.startsWith('[]')) {
    const item = writeType(type.slice(2), home, values);
    return `readonly ${item.includes(' ') && !item.startsWith('readonly') ? `(${item})` : item}[]`;
  }
  if (type.startsWith('map[string]')) {
    return `Readonly<Record<string, ${writeType(type.slice('map[string]'.length), home, values)}>>`;
  }
  if (type === 'string' && values !== undefined) {
    return values.map((value) => `'${value}'`).join(' | ');
  }
  return scalars[type] ?? reference(type, home);
}

function reference(message: string, home: string): string {
  if (message === 'meta.v1.ObjectMeta') return 'ObjectMeta';
  const short = message.split('.').at(-1) ?? message;
  const own = packageOf(message);
  return own === home ? short : `${idOf(own)}.${short}`;
}

function isMessages(value: unknown): value is Messages {
  return isJsonObject(value) && Object.values(value).every(isJsonObject);
}

/** The facts as the repository has them. */
export function readMessages(): Messages {
  const messages: unknown = JSON.parse(readFileSync(facts, 'utf8'));
  if (!isMessages(messages)) throw new Error(`Cannot read ${facts}: not messages by name`);
  return messages;
}

if (import.meta.main) {
  for (const [name, text] of writeTypes(readMessages())) {
    writeFileSync(join(target, `${name}.ts`), text);
  }
}
