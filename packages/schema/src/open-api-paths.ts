import type { JsonObject } from '@fnlet/base';
import { openApiParameters as parameters } from './open-api-parameter.ts';
import { metaNames, type OpenApiResource, schemaName, schemaRef } from './open-api-resource.ts';
import { scaleKind } from './open-api-schemas.ts';

/** The `paths` of one resource: its collection, its objects, and their subresources. */
export function openApiPaths(
  resource: OpenApiResource,
): readonly (readonly [string, JsonObject])[] {
  const { group, version, plural, namespaced } = resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const everywhere: readonly [string, JsonObject][] = namespaced
    ? [[`${root}/${plural}`, { parameters: [parameters.pretty], ...allNamespaces(resource) }]]
    : [];
  const subresources = (['status', 'scale'] as const)
    .filter((name) => resource.subresources[name] === true)
    .map((name) => subresourcePath(resource, `${collection}/{name}`, name));
  return [
    ...everywhere,
    [collection, { parameters: scopeParameters(resource), ...collectionOperations(resource) }],
    [
      `${collection}/{name}`,
      {
        parameters: [parameters.name, ...scopeParameters(resource)],
        ...objectOperations(resource, { subresource: '', kind: resource }),
      },
    ],
    ...subresources,
  ];
}

function scopeParameters(resource: OpenApiResource): readonly JsonObject[] {
  return resource.namespaced ? [parameters.namespace, parameters.pretty] : [parameters.pretty];
}

type Kind = { readonly group: string; readonly version: string; readonly kind: string };

interface OperationFacts {
  readonly action: string;
  readonly verb: string;
  readonly summary: string;
  readonly parameters: readonly JsonObject[];
  readonly answer: string;
  readonly kind: Kind;
  readonly suffix?: string;
  readonly body?: { readonly name: string; readonly types: readonly string[] };
}

function operation(resource: OpenApiResource, facts: OperationFacts): JsonObject {
  const { group, version, kind } = facts.kind;
  const scope = resource.namespaced && facts.suffix !== 'ForAllNamespaces' ? 'Namespaced' : '';
  const id = `${pascal(resource.group || 'core')}${pascal(resource.version)}`;
  return {
    tags: [camel(id)],
    description: facts.summary,
    operationId: `${facts.verb}${id}${scope}${resource.kind}${facts.suffix ?? ''}`,
    parameters: facts.parameters,
    ...(facts.body === undefined
      ? {}
      : {
          requestBody: {
            content: content(facts.body.types, facts.body.name),
            ...(facts.body.name === metaNames.deleteOptions ? {} : { required: true }),
          },
        }),
    responses: {
      200: { description: 'OK', content: content(['application/json'], facts.answer) },
      ...(facts.action === 'post'
        ? { 201: { description: 'Created', content: content(['application/json'], facts.answer) } }
        : {}),
      401: { description: 'Unauthorized' },
    },
    'x-kubernetes-action': facts.action,
    'x-kubernetes-group-version-kind': { group, kind, version },
  };
}

function content(types: readonly string[], name: string): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema: schemaRef(name) }]));
}

/** Keeps the operations whose verb the resource allows. */
function allowed(
  resource: OpenApiResource,
  operations: readonly (readonly [verb: string, method: string, facts: OperationFacts])[],
): JsonObject {
  return Object.fromEntries(
    operations
      .filter(([verb]) => resource.verbs.includes(verb))
      .map(([, method, facts]) => [method, operation(resource, facts)]),
  );
}

function listFacts(resource: OpenApiResource, suffix?: string): OperationFacts {
  return {
    action: 'list',
    verb: 'list',
    summary: `list or watch objects of kind ${resource.kind}`,
    parameters: parameters.list,
    answer: schemaName({ ...resource, kind: `${resource.kind}List` }),
    kind: resource,
    ...(suffix === undefined ? {} : { suffix }),
  };
}

function allNamespaces(resource: OpenApiResource): JsonObject {
  return allowed(resource, [['list', 'get', listFacts(resource, 'ForAllNamespaces')]]);
}

function collectionOperations(resource: OpenApiResource): JsonObject {
  const name = schemaName(resource);
  return allowed(resource, [
    ['list', 'get', listFacts(resource)],
    [
      'create',
      'post',
      {
        action: 'post',
        verb: 'create',
        summary: `create ${article(resource.kind)}`,
        parameters: parameters.write,
        answer: name,
        kind: resource,
        body: { name, types: ['application/json', 'application/yaml'] },
      },
    ],
    [
      'deletecollection',
      'delete',
      {
        action: 'deletecollection',
        verb: 'deleteCollection',
        summary: `delete collection of ${resource.kind}`,
        parameters: [...parameters.delete, ...parameters.list],
        answer: metaNames.status,
        kind: resource,
        body: { name: metaNames.deleteOptions, types: ['application/json'] },
      },
    ],
  ]);
}

interface Target {
  /** Empty for the object itself. */
  readonly subresource: '' | 'status' | 'scale';
  readonly kind: Kind;
}

function objectOperations(resource: OpenApiResource, target: Target): JsonObject {
  const answer = schemaName(target.kind);
  const what = target.subresource === '' ? '' : `${target.subresource} of `;
  const facts = { answer, kind: target.kind, suffix: pascal(target.subresource) };
  const described = (verb: string): string => `${verb} ${what}the specified ${resource.kind}`;
  const operations: [string, string, OperationFacts][] = [
    [
      'get',
      'get',
      {
        ...facts,
        action: 'get',
        verb: 'read',
        summary: described('read'),
        parameters: parameters.get,
      },
    ],
    [
      'update',
      'put',
      {
        ...facts,
        action: 'put',
        verb: 'replace',
        summary: described('replace'),
        parameters: parameters.write,
        body: { name: answer, types: ['application/json', 'application/yaml'] },
      },
    ],
    [
      'patch',
      'patch',
      {
        ...facts,
        action: 'patch',
        verb: 'patch',
        summary: described('partially update'),
        parameters: parameters.patch,
        body: { name: metaNames.patch, types: patchTypes(resource) },
      },
    ],
  ];
  if (target.subresource === '') operations.push(['delete', 'delete', deleteFacts(resource)]);
  return allowed(resource, operations);
}

function deleteFacts(resource: OpenApiResource): OperationFacts {
  return {
    action: 'delete',
    verb: 'delete',
    summary: `delete ${article(resource.kind)}`,
    parameters: parameters.delete,
    answer: metaNames.status,
    kind: resource,
    body: { name: metaNames.deleteOptions, types: ['application/json'] },
  };
}

function patchTypes(resource: OpenApiResource): readonly string[] {
  const types = [
    'application/apply-patch+yaml',
    'application/json-patch+json',
    'application/merge-patch+json',
  ];
  return resource.strategicMergePatch === true
    ? [...types, 'application/strategic-merge-patch+json']
    : types;
}

function subresourcePath(
  resource: OpenApiResource,
  path: string,
  subresource: 'status' | 'scale',
): [string, JsonObject] {
  const kind = subresource === 'scale' ? scaleKind : resource;
  return [
    `${path}/${subresource}`,
    {
      parameters: [parameters.name, ...scopeParameters(resource)],
      ...objectOperations(resource, { subresource, kind }),
    },
  ];
}

function pascal(text: string): string {
  return text.replace(/(?:^|[.-])([a-zA-Z0-9])/g, (_, first: string) => first.toUpperCase());
}

function camel(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function article(kind: string): string {
  return /^[AEIOU]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}
