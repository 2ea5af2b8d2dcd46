/** Which fields of an object the newest and the oldest Kubernetes know that Fnlet runs on. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../packages/base/src/index.ts';
import { repositoryRoot } from './source-file.ts';

/** Where the facts of the newest release are; see builtin-facts.ts. */
const factsFile = 'packages/apiserver/src/builtins/facts/builtin-messages.json';

/** Where it stands what is newer than the oldest release; see newer-fields.ts. */
export const newerFieldsFile = 'tooling/newer-fields.json';

/** Message -> field -> number, type and flags. */
export type KindFacts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The facts of the newest release. */
export function readFacts(): KindFacts {
  const facts: Record<string, Record<string, string>> = {};
  for (const [message, fields] of Object.entries(readJson(factsFile))) {
    const entries = Object.entries(isJsonObject(fields) ? fields : {});
    facts[message] = Object.fromEntries(entries.map(([name, fact]) => [name, String(fact)]));
  }
  return facts;
}

/** Finds fields of objects that a release does not know. */
export class FieldCheck {
  readonly #facts = readFacts();
  readonly #newer: JsonObject;

  constructor() {
    const { newer } = readJson(newerFieldsFile);
    this.#newer = isJsonObject(newer) ? newer : {};
  }

  /**
   * Paths of fields of this object that the newest release does not know, or the oldest does not:
   * `newest: spec.wrong`, `oldest: spec.template.spec.hostnameOverride`.
   */
  unknownFields(object: JsonObject): readonly string[] {
    const { apiVersion = '', kind } = object;
    const [version = '', group = ''] = String(apiVersion).split('/').reverse();
    const message = `${group.split('.')[0] || 'core'}.${version}.${kind}`;
    const { apiVersion: _, kind: __, ...fields } = object;
    if (this.#facts[message] === undefined) return [`newest: ${apiVersion} ${kind}`];
    return [...this.#walk(message, fields, '')];
  }

  *#walk(message: string, object: JsonObject, path: string): Iterable<string> {
    if (this.#newer[message] === true) yield `oldest: ${path}`;
    for (const [name, value] of Object.entries(object)) {
      if (value === undefined) continue;
      const place = path === '' ? name : `${path}.${name}`;
      const found = this.#factOf(message, name);
      // An object in another says what it is, too.
      const isKind = this.#facts[message]?.['']?.includes('kind') === true;
      if (isKind && (name === 'apiVersion' || name === 'kind')) continue;
      if (found === undefined) {
        yield `newest: ${place}`;
        continue;
      }
      const newer = this.#newer[found.message];
      if (Array.isArray(newer) && newer.includes(name)) yield `oldest: ${place}`;
      yield* this.#value(found.type, value, place);
    }
  }

  *#value(type: string, value: unknown, path: string): Iterable<string> {
    if (type.startsWith('[]')) {
      if (!Array.isArray(value)) return;
      for (const [at, item] of value.entries())
        yield* this.#value(type.slice(2), item, `${path}[${at}]`);
    } else if (type.startsWith('map[string]')) {
      if (!isJsonObject(value)) return;
      for (const [key, item] of Object.entries(value)) {
        yield* this.#value(type.slice('map[string]'.length), item, `${path}.${key}`);
      }
    } else if (type.startsWith('*')) yield* this.#value(type.slice(1), value, path);
    else if (this.#facts[type] !== undefined && isJsonObject(value)) {
      yield* this.#walk(type, value, path);
    }
  }

  /** The fact of a field, which may be one of a struct that is embedded. */
  #factOf(message: string, name: string): { message: string; type: string } | undefined {
    const fields = this.#facts[message] ?? {};
    const own = fields[name];
    if (own !== undefined) return { message, type: own.split(' ')[1] ?? '' };
    for (const [field, fact] of Object.entries(fields)) {
      const inner = field.startsWith('(')
        ? this.#factOf(fact.split(' ')[1] ?? '', name)
        : undefined;
      if (inner !== undefined) return inner;
    }
    return undefined;
  }
}

function readJson(file: string): JsonObject {
  const read: unknown = JSON.parse(readFileSync(join(repositoryRoot, file), 'utf8'));
  return isJsonObject(read) ? read : {};
}
