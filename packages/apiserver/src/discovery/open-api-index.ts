import { type JsonObject, sha256 } from '@fnlet/base';
import { buildOpenApi, type OpenApiResource, toOpenApiV2 } from '@fnlet/schema';
import { builtinFacts } from '../builtins/facts/builtin-facts.ts';
import {
  builtinDefinitions,
  type DescribedKind,
  definitionName,
} from '../builtins/facts/open-api-definition.ts';
import { writeGnostic } from '../protobuf/gnostic-writer.ts';
import type { Catalog } from '../resource/catalog.ts';
import { type Resource, resourceVerbs } from '../resource/resource.ts';
import type { Strategy } from '../resource/strategy.ts';
import { serverVersion } from './server-version.ts';

/** A document as it is sent. */
export interface OpenApiDocument {
  readonly content: string | Uint8Array;
  readonly hash: string;
}

interface Kept {
  /** The resources that it was made from: a new catalog has new ones. */
  readonly resources: readonly Resource[];
  readonly hash: string;
  /** Absent until somebody asks for more than the hash. */
  readonly content: string | undefined;
}

/**
 * The OpenAPI documents of what is served.
 *
 * I1. A document is built at first use and kept while its resources are served; kinds that nobody
 *     asks about cost nothing at start.
 * I2. The hash of a document is that of its text, so that clients may keep it for good.
 * I3. Documents are kept as text, and only those that were asked for: the values that they are made
 *     of take ten times as much.
 */
export class OpenApiIndex {
  readonly #catalog: Catalog;
  readonly #documents = new Map<string, Kept>();
  readonly #v2 = new Map<'json' | 'protobuf', OpenApiDocument>();
  #v2Generation = -1;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** `/openapi/v3`: where each document is, by hash. */
  index(): JsonObject {
    const paths: Record<string, unknown> = {};
    for (const { path, group, version } of this.#groupVersions()) {
      const { hash } = this.#document(path, group, version);
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
    }
    for (const path of this.#documents.keys()) {
      if (paths[path] === undefined) this.#documents.delete(path);
    }
    return { paths };
  }

  /** The document at `api/v1` or `apis/<group>/<version>`. */
  find(path: string): OpenApiDocument | undefined {
    const [root, first = '', second] = path.split('/');
    const [group, version] = root === 'api' ? ['', first] : [first, second ?? ''];
    if (!this.#catalog.versions(group).includes(version)) return undefined;
    const kept = this.#document(path, group, version);
    if (kept.content !== undefined) return { content: kept.content, hash: kept.hash };
    const content = JSON.stringify(this.#build(group, version));
    this.#documents.set(path, { ...kept, content });
    return { content, hash: kept.hash };
  }

  /** `/openapi/v2`: all that is served, in one document. */
  whole(format: 'json' | 'protobuf'): OpenApiDocument {
    const { generation } = this.#catalog;
    if (this.#v2Generation !== generation) this.#v2.clear();
    this.#v2Generation = generation;
    const kept = this.#v2.get(format);
    if (kept !== undefined) return kept;
    const documents = this.#groupVersions().map(({ group, version }) =>
      this.#build(group, version),
    );
    const info = { title: 'Kubernetes', version: serverVersion.gitVersion };
    const value = toOpenApiV2(documents, info);
    const content = format === 'json' ? JSON.stringify(value) : writeGnostic(value);
    const document = { content, hash: sha256(content).toUpperCase() };
    this.#v2.set(format, document);
    return document;
  }

  #groupVersions(): readonly { path: string; group: string; version: string }[] {
    return this.#catalog.groups().flatMap((group) =>
      this.#catalog.versions(group).map((version) => {
        const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
        return { path, group, version };
      }),
    );
  }

  #document(path: string, group: string, version: string): Kept {
    const resources = this.#catalog.resources(group, version);
    const kept = this.#documents.get(path);
    if (kept !== undefined && sameItems(kept.resources, resources)) return kept;
    const hash = sha256(JSON.stringify(this.#build(group, version))).toUpperCase();
    const document = { resources, hash, content: undefined };
    this.#documents.set(path, document);
    return document;
  }

  #build(group: string, version: string): JsonObject {
    const strategies = this.#catalog.resources(group, version).map(({ strategy }) => strategy);
    const kinds = strategies.flatMap(described);
    const others = this.#catalog.resources('', 'v1').flatMap(({ strategy }) => described(strategy));
    return buildOpenApi({
      group,
      version,
      resources: strategies.map(openApiResource),
      definitions: kinds.length === 0 ? {} : builtinDefinitions(builtinFacts, kinds, others),
      title: 'Kubernetes',
      infoVersion: serverVersion.gitVersion,
    });
  }
}

function described({ message, type, schema }: Strategy): readonly DescribedKind[] {
  return message === undefined ? [] : [{ message, type, schema }];
}

function openApiResource(strategy: Strategy): OpenApiResource {
  const { type, schema, message, hasStatus, scale, custom } = strategy;
  const name = message === undefined ? undefined : definitionName(message);
  return {
    ...type,
    schema,
    verbs: resourceVerbs(strategy),
    subresources: { status: hasStatus, scale: scale !== undefined },
    strategicMergePatch: !custom,
    ...(name === undefined ? {} : { namePrefix: name.slice(0, name.lastIndexOf('.')) }),
  };
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
