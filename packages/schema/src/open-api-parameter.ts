import type { JsonObject } from '@fnlet/base';

function query(name: string, type: string, description: string): JsonObject {
  return { name, in: 'query', description, schema: { type, uniqueItems: true } };
}

function inPath(name: string, description: string): JsonObject {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } };
}

const dryRun = query('dryRun', 'string', 'All: the request is processed but nothing is written.');
const fieldManager = query(
  'fieldManager',
  'string',
  'The name of whoever makes these changes; required for server-side apply.',
);
const fieldValidation = query(
  'fieldValidation',
  'string',
  'What to do about unknown and duplicate fields: Ignore, Warn (the default) or Strict.',
);

interface OpenApiParameters {
  readonly name: JsonObject;
  readonly namespace: JsonObject;
  readonly pretty: JsonObject;
  readonly write: readonly JsonObject[];
  readonly patch: readonly JsonObject[];
  readonly get: readonly JsonObject[];
  readonly delete: readonly JsonObject[];
  readonly list: readonly JsonObject[];
}

/** The parameters of requests, as upstream names them; kubectl looks them up by name. */
export const openApiParameters: OpenApiParameters = {
  name: inPath('name', 'name of the object'),
  namespace: inPath('namespace', 'object name and auth scope, such as for teams and projects'),
  pretty: query('pretty', 'string', "If 'true', then the output is pretty printed."),
  write: [dryRun, fieldManager, fieldValidation],
  patch: [
    dryRun,
    fieldManager,
    fieldValidation,
    query('force', 'boolean', 'Apply only: take over fields that others manage.'),
  ],
  get: [query('resourceVersion', 'string', 'How old the answer may be.')],
  delete: [
    dryRun,
    query('gracePeriodSeconds', 'integer', 'Seconds before the object is deleted.'),
    query('orphanDependents', 'boolean', 'Deprecated: use propagationPolicy.'),
    query('propagationPolicy', 'string', 'Orphan, Background or Foreground.'),
  ],
  list: [
    query('allowWatchBookmarks', 'boolean', 'Whether a watch may send BOOKMARK events.'),
    query('continue', 'string', 'The token of the next page, from the previous one.'),
    query('fieldSelector', 'string', 'Restricts the list by fields.'),
    query('labelSelector', 'string', 'Restricts the list by labels.'),
    query('limit', 'integer', 'The largest number of items of a page.'),
    query('resourceVersion', 'string', 'How old the answer may be.'),
    query('resourceVersionMatch', 'string', 'How resourceVersion is applied.'),
    query('sendInitialEvents', 'boolean', 'Whether a watch starts with what there is.'),
    query('timeoutSeconds', 'integer', 'How long the request may last.'),
    query('watch', 'boolean', 'Sends changes instead of a list.'),
  ],
};
