import { type JsonObject, jsonEqual } from '@fnlet/base';
import type { FieldError, KubeObject } from '@fnlet/machinery';
import { ageColumn, humanDuration, nameColumn } from '../../answer/column.ts';
import { objectField, textField, withFields, withMetadata } from '../../object/object-form.ts';
import { podColumns } from '../apps/workload.ts';
import { column, numberField, statusCount } from '../cells.ts';
import { immutableSpec } from '../changes.ts';
import { changeSpec } from '../fill.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { labelSelector, textMap } from '../label-selector-rule.ts';
import { labelErrors } from '../pod/pod-template.ts';
import { invalid } from '../refusal.ts';
import { about, all, fields, type Rule, required } from '../rule.ts';
import { hostNames, jobSpec, jobSpecDefaults, trueConditions } from './job-rule.ts';

// Both generations of the labels that tie Pods to their Job (KEP-3850).
const uidLabel = 'batch.kubernetes.io/controller-uid';
const nameLabel = 'batch.kubernetes.io/job-name';

/** A Job selects its Pods by its own uid, unless it says that it selects otherwise. */
function withOwnSelector(job: KubeObject): KubeObject {
  const spec = objectField(job, 'spec');
  if (spec.manualSelector === true) return job;
  const { uid = '', name } = job.metadata;
  const template = objectField(spec, 'template');
  const metadata = objectField(template, 'metadata');
  const own = { 'controller-uid': uid, 'job-name': name, [uidLabel]: uid, [nameLabel]: name };
  const labels = { ...own, ...textMap(metadata, 'labels'), ...own };
  const asked = objectField(spec, 'selector');
  return withFields(job, {
    spec: {
      ...spec,
      selector: { ...asked, matchLabels: { ...textMap(asked, 'matchLabels'), [uidLabel]: uid } },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  });
}

// A Job that has no labels has those of its Pods (batch/v1 defaults).
function withTemplateLabels(job: KubeObject): KubeObject {
  if (Object.keys(job.metadata.labels ?? {}).length > 0) return job;
  const template = objectField(objectField(job, 'spec'), 'template');
  const labels = textMap(objectField(template, 'metadata'), 'labels');
  return Object.keys(labels).length === 0 ? job : withMetadata(job, { labels });
}

/** A new Job that does not say that it selects for itself must not (validation.go, generated). */
function selectorErrors(job: KubeObject): readonly FieldError[] {
  const { manualSelector, selector } = objectField(job, 'spec');
  const own = { matchLabels: { [uidLabel]: job.metadata.uid ?? '' } };
  if (manualSelector === true || jsonEqual(selector, own)) return [];
  return [invalid('spec.selector', selector, '`selector` not auto-generated')];
}

const selectedTemplate: Rule = about((spec, path) =>
  labelErrors({
    template: spec.template,
    path: `${path}.template`,
    selector: spec.selector,
  }),
);

const specRule: Rule = all(
  jobSpec,
  fields({ selector: required(labelSelector) }),
  selectedTemplate,
);

/** Where and how Pods run may change while the Job has not begun (KEP-2926). */
const placement = ['nodeSelector', 'affinity', 'tolerations', 'schedulingGates'];

function templateErrors(job: KubeObject, old: KubeObject): readonly FieldError[] {
  const next = objectField(objectField(job, 'spec'), 'template');
  const before = objectField(objectField(old, 'spec'), 'template');
  const isWaiting = objectField(old, 'spec').suspend === true;
  const isBegun = objectField(old, 'status').startTime !== undefined;
  const same =
    isWaiting && !isBegun ? jsonEqual(unplaced(next), unplaced(before)) : jsonEqual(next, before);
  return same ? [] : [invalid('spec.template', next, 'field is immutable')];
}

function unplaced(template: JsonObject): JsonObject {
  const spec = Object.entries(objectField(template, 'spec'));
  return { spec: Object.fromEntries(spec.filter(([field]) => !placement.includes(field))) };
}

function completionErrors(job: KubeObject, old: KubeObject): readonly FieldError[] {
  const next = objectField(job, 'spec');
  const before = objectField(old, 'spec');
  const { completions = null, parallelism = null } = next;
  if (completions === (before.completions ?? null)) return [];
  if (next.completionMode !== 'Indexed') {
    return [invalid('spec.completions', completions, 'field is immutable')];
  }
  // KEP-3715: an Indexed Job may grow when both numbers grow together.
  if (completions === null || completions === parallelism) return [];
  const problem = 'can only be modified in tandem with spec.parallelism';
  return [invalid('spec.completions', completions, problem)];
}

function statusCell(job: KubeObject): string {
  const conditions = trueConditions(objectField(job, 'status'));
  if (conditions.has('Complete')) return 'Complete';
  if (conditions.has('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const other = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'];
  return other.find((type) => conditions.has(type)) ?? 'Running';
}

function completionsCell(job: KubeObject): string {
  const { completions, parallelism } = objectField(job, 'spec');
  const done = statusCount('succeeded')(job);
  if (typeof completions === 'number') return `${done}/${completions}`;
  const isMany = typeof parallelism === 'number' && parallelism > 1;
  return isMany ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function durationCell(job: KubeObject, now: number): string {
  const status = objectField(job, 'status');
  const start = Date.parse(textField(status, 'startTime'));
  if (Number.isNaN(start)) return '';
  const end = Date.parse(textField(status, 'completionTime'));
  return humanDuration((Number.isNaN(end) ? now : end) - start);
}

const written = validation(all(fields({ spec: specRule }), hostNames), (job, old) => [
  ...completionErrors(job, old),
  ...immutableSpec('selector')(job, old),
  ...templateErrors(job, old),
  ...immutableSpec('completionMode', 'podFailurePolicy', 'backoffLimitPerIndex')(job, old),
]);

/** batch/v1 Job. */
export const jobRules: KindRules = {
  group: 'batch',
  kind: 'Job',
  plural: 'jobs',
  columns: [
    nameColumn,
    column('Status', 'What the Job does, in one word.', statusCell),
    column('Completions', 'Runs that succeeded, of how many.', completionsCell),
    column('Duration', 'How long it took.', durationCell),
    ageColumn,
    ...podColumns,
  ],
  selectableFields: {
    'status.successful': (job) => String(numberField(objectField(job, 'status'), 'succeeded')),
  },
  defaults: (job) => changeSpec(job, jobSpecDefaults),
  prepareCreate: (job) => withFields(withTemplateLabels(withOwnSelector(job)), { status: {} }),
  validate: (job, old, subresource) => [
    ...(old === undefined ? selectorErrors(job) : []),
    ...written(job, old, subresource),
  ],
};
