/**
 * Writes what Kubernetes has learnt since the oldest release that Fnlet runs on: the fields of its
 * kinds, as the facts of the newest have them, that the oldest does not know.
 *
 *     go mod download -json k8s.io/api@v0.28.15 k8s.io/apimachinery@v0.28.15 \
 *       k8s.io/apiextensions-apiserver@v0.28.15
 *     node tooling/newer-fields.ts <folder with these modules> 0.28.15
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GoType, parseGoDeclarations } from './go-declarations.ts';
import { type KindFacts, newerFieldsFile, readFacts } from './kubernetes-fields.ts';
import { repositoryRoot } from './source-file.ts';

/** Packages whose kinds Fnlet makes, and where their types are. */
const packages: Readonly<Record<string, readonly [module: string, folder: string]>> = {
  'apiextensions.v1': ['apiextensions-apiserver', 'pkg/apis/apiextensions/v1'],
  'apps.v1': ['api', 'apps/v1'],
  'autoscaling.v2': ['api', 'autoscaling/v2'],
  'coordination.v1': ['api', 'coordination/v1'],
  'core.v1': ['api', 'core/v1'],
  'discovery.v1': ['api', 'discovery/v1'],
  'meta.v1': ['apimachinery', 'pkg/apis/meta/v1'],
  'networking.v1': ['api', 'networking/v1'],
  'policy.v1': ['api', 'policy/v1'],
  'rbac.v1': ['api', 'rbac/v1'],
  'scheduling.v1': ['api', 'scheduling/v1'],
};

/** Message -> fields that are newer; `true`: it is a kind that is. */
type NewerFields = Record<string, readonly string[] | true>;

function planNewerFields(facts: KindFacts, old: ReadonlyMap<string, GoType>): NewerFields {
  const newer: NewerFields = {};
  for (const [message, fields] of Object.entries(facts)) {
    const known = packages[message.slice(0, message.lastIndexOf('.'))];
    if (known === undefined) continue;
    const type = old.get(message);
    if (type === undefined) {
      // Others are reached by fields that are newer themselves, or have only got another name.
      if (fields['']?.includes('kind') === true) newer[message] = true;
      continue;
    }
    const names = new Set(type.fields?.map(jsonName));
    const missing = Object.keys(fields).filter(
      (field) => field !== '' && field !== 'items' && !field.startsWith('(') && !names.has(field),
    );
    if (missing.length > 0) newer[message] = missing;
  }
  return newer;
}

function jsonName({ tags }: NonNullable<GoType['fields']>[number]): string {
  return (tags.get('json') ?? '').split(',')[0] ?? '';
}

function readOld(root: string, release: string): ReadonlyMap<string, GoType> {
  const types = new Map<string, GoType>();
  for (const [name, [module, folder]] of Object.entries(packages)) {
    const place = join(root, `${module}@v${release}`, folder);
    const files = name === 'apiextensions.v1' ? ['types.go', 'types_jsonschema.go'] : ['types.go'];
    for (const file of files) {
      const declared = parseGoDeclarations(readFileSync(join(place, file), 'utf8'));
      for (const type of declared.types) types.set(`${name}.${type.name}`, type);
    }
  }
  return types;
}

const [, , root, release] = process.argv;
if (root === undefined || release === undefined) {
  throw new Error('Cannot read the sources: expected their folder and their release');
}
const newer = planNewerFields(readFacts(), readOld(root, release));
const text = JSON.stringify({ release: release.replace(/^0/, '1'), newer }, undefined, 2);
writeFileSync(join(repositoryRoot, newerFieldsFile), `${text}\n`);
process.stdout.write(`${Object.keys(newer).length} messages have newer fields\n`);
