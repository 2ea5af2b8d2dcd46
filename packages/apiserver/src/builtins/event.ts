import type { JsonObject } from '@fnlet/base';
import type { JsonSchema, KubeObject } from '@fnlet/machinery';
import { type Column, formatAge } from '../answer/column.ts';
import { objectField, textField, withFields } from '../object/object-form.ts';
import type { Strategy } from '../resource/strategy.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { qualifiedName } from './form.ts';
import { validation } from './kind-rules.ts';
import { objectReference } from './object-reference.ts';
import { invalid } from './refusal.ts';
import { about, fields, oneOf, type Rule, required } from './rule.ts';
import { integer, object, text, time } from './schema-words.ts';

// Events have two API groups for one store (KEP-383): the core form is what is kept, and the newer
// one is the same object under other names.

const source = object('Where the event comes from.', {
  component: text('The component that reports.'),
  host: text('The node that reports.'),
});

const shared: Readonly<Record<string, JsonSchema>> = {
  reason: text('Why, in one word.'),
  type: text('Normal or Warning.'),
  eventTime: time('When it was first seen.'),
  action: text('What was done about it.'),
  reportingInstance: text('Which instance of the controller reports.'),
  related: objectReference('Another object that has to do with it.'),
};

const series = object('Where the event repeats.', {
  count: integer('How often it happened.'),
  lastObservedTime: time('When it last happened.'),
});

const columns: readonly Column[] = [
  {
    name: 'Last Seen',
    type: 'string',
    description: 'The time since it was last seen.',
    cell: (event, now) => formatAge(lastSeen(toCore(event)), now),
  },
  {
    name: 'Type',
    type: 'string',
    description: 'Normal or Warning.',
    cell: (event) => textField(event, 'type'),
  },
  {
    name: 'Reason',
    type: 'string',
    description: 'Why, in one word.',
    cell: (event) => textField(event, 'reason'),
  },
  {
    name: 'Object',
    type: 'string',
    description: 'The object that it is about.',
    cell: (event) => subjectOf(objectField(toCore(event), 'involvedObject')),
  },
  {
    name: 'Subobject',
    type: 'string',
    description: 'The part of the object that it is about.',
    priority: 1,
    cell: (event) => textField(objectField(toCore(event), 'involvedObject'), 'fieldPath'),
  },
  {
    name: 'Source',
    type: 'string',
    description: 'Who reports.',
    priority: 1,
    cell: (event) => sourceOf(toCore(event)),
  },
  {
    name: 'Message',
    type: 'string',
    description: 'What happened.',
    cell: (event) => textField(toCore(event), 'message').trim(),
  },
  {
    name: 'First Seen',
    type: 'string',
    description: 'The time since it was first seen.',
    priority: 1,
    cell: (event, now) => formatAge(firstSeen(toCore(event)), now),
  },
  {
    name: 'Count',
    type: 'string',
    description: 'How often it was seen.',
    priority: 1,
    cell: (event) => countOf(toCore(event)),
  },
  {
    name: 'Name',
    type: 'string',
    format: 'name',
    description: 'The name of the event.',
    priority: 1,
    cell: (event) => event.metadata.name,
  },
];

const involved =
  (field: string) =>
  (event: KubeObject): string =>
    textField(objectField(toCore(event), 'involvedObject'), field);

const selectableFields = {
  'involvedObject.kind': involved('kind'),
  'involvedObject.namespace': involved('namespace'),
  'involvedObject.name': involved('name'),
  'involvedObject.uid': involved('uid'),
  'involvedObject.apiVersion': involved('apiVersion'),
  'involvedObject.resourceVersion': involved('resourceVersion'),
  'involvedObject.fieldPath': involved('fieldPath'),
  reason: (event: KubeObject) => textField(event, 'reason'),
  reportingComponent: (event: KubeObject) => textField(toCore(event), 'reportingComponent'),
  source: (event: KubeObject) => sourceOf(toCore(event)),
  type: (event: KubeObject) => textField(event, 'type'),
} satisfies Strategy['selectableFields'];

/** The newer group knows them by its own names only (apis/events/v1/conversion.go). */
const newSelectableFields: Strategy['selectableFields'] = {
  'regarding.kind': selectableFields['involvedObject.kind'],
  'regarding.namespace': selectableFields['involvedObject.namespace'],
  'regarding.name': selectableFields['involvedObject.name'],
  'regarding.uid': selectableFields['involvedObject.uid'],
  'regarding.apiVersion': selectableFields['involvedObject.apiVersion'],
  'regarding.resourceVersion': selectableFields['involvedObject.resourceVersion'],
  'regarding.fieldPath': selectableFields['involvedObject.fieldPath'],
  reason: selectableFields.reason,
  reportingController: selectableFields.reportingComponent,
  source: selectableFields.source,
  type: selectableFields.type,
};

/** Events about objects of a namespace stand in it; those about others stand in `default`. */
const inItsNamespace: Rule = about((event) => {
  const { namespace: about = '' } = objectField(event, 'involvedObject');
  const { namespace } = objectField(event, 'metadata');
  if (about === namespace || (about === '' && namespace === 'default')) return [];
  return [invalid('involvedObject.namespace', about, 'does not match event.namespace')];
});

const reportBytesMax = 128;
const noteBytesMax = 1024;

const atMostBytes =
  (bytesMax: number): Rule =>
  (value, path) =>
    Buffer.byteLength(typeof value === 'string' ? value : '') > bytesMax
      ? [invalid(path, '', `can have at most ${bytesMax} characters`)]
      : [];

/** What the newer group asks of whoever reports (KEP-383). */
const newEventRules: Rule = fields({
  eventTime: required(),
  type: required(oneOf('Normal', 'Warning')),
  reportingController: required(qualifiedName),
  reportingInstance: required(atMostBytes(reportBytesMax)),
  action: required(atMostBytes(reportBytesMax)),
  reason: required(atMostBytes(reportBytesMax)),
  note: atMostBytes(noteBytesMax),
});

export const coreEventStrategy: Strategy = builtinStrategy({
  kind: 'Event',
  plural: 'events',
  createOnUpdate: true,
  shortNames: ['ev'],
  description: 'An Event is the report of something that happened to an object.',
  fields: {
    ...shared,
    involvedObject: objectReference('The object that it is about.'),
    message: text('What happened, for people.'),
    source,
    firstTimestamp: time('When it was first seen.'),
    lastTimestamp: time('When it was last seen.'),
    count: integer('How often it was seen.'),
    series,
    reportingComponent: text('Name of the controller that reports.'),
  },
  columns,
  selectableFields,
  validate: validation(inItsNamespace),
});

export const eventStrategy: Strategy = builtinStrategy({
  group: 'events.k8s.io',
  kind: 'Event',
  plural: 'events',
  createOnUpdate: true,
  shortNames: ['ev'],
  description: 'An Event is the report of something that happened to an object.',
  fields: {
    ...shared,
    regarding: objectReference('The object that it is about.'),
    note: text('What happened, for people.'),
    series,
    reportingController: text('Name of the controller that reports.'),
    deprecatedSource: source,
    deprecatedFirstTimestamp: time('When it was first seen, in the core form.'),
    deprecatedLastTimestamp: time('When it was last seen, in the core form.'),
    deprecatedCount: integer('How often it was seen, in the core form.'),
  },
  stored: coreEventStrategy.stored,
  columns,
  selectableFields: newSelectableFields,
  validate: (event, old, subresource) => [
    ...validation(inItsNamespace)(toCore(event), undefined, subresource),
    ...(old === undefined ? newEventRules(event, '') : []),
  ],
  fromStored: (event) => ({ ...rename(event, coreToNew), apiVersion: 'events.k8s.io/v1' }),
  toStored: toCore,
});

const coreToNew: Readonly<Record<string, string>> = {
  involvedObject: 'regarding',
  message: 'note',
  reportingComponent: 'reportingController',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
};

function toCore(event: KubeObject): KubeObject {
  if (event.apiVersion === 'v1') return event;
  const back = Object.fromEntries(Object.entries(coreToNew).map(([core, other]) => [other, core]));
  return { ...rename(event, back), apiVersion: 'v1' };
}

function rename(event: KubeObject, names: Readonly<Record<string, string>>): KubeObject {
  const moved: Record<string, unknown> = {};
  for (const [from, to] of Object.entries(names)) {
    if (event[from] === undefined) continue;
    moved[from] = undefined;
    moved[to] = event[from];
  }
  return withFields(event, moved);
}

function lastSeen(event: KubeObject): unknown {
  const { lastObservedTime } = objectField(event, 'series');
  return lastObservedTime ?? event.lastTimestamp ?? event.eventTime;
}

function firstSeen(event: KubeObject): unknown {
  return event.firstTimestamp ?? event.eventTime;
}

function countOf(event: KubeObject): number {
  const { count } = objectField(event, 'series');
  if (typeof count === 'number') return count;
  return typeof event.count === 'number' && event.count > 0 ? event.count : 1;
}

function subjectOf(reference: JsonObject): string {
  const kind = textField(reference, 'kind').toLowerCase();
  const name = textField(reference, 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function sourceOf(event: KubeObject): string {
  const reported = objectField(event, 'source');
  const component = textField(reported, 'component') || textField(event, 'reportingComponent');
  const host = textField(reported, 'host');
  return host === '' ? component : `${component}, ${host}`;
}
