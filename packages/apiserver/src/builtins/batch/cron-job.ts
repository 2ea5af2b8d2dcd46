import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { isTimeZone, parseCronRule } from '@fnlet/machinery/cron';
import { ageColumn, formatAge, nameColumn } from '../../answer/column.ts';
import { listField, objectField, textField } from '../../object/object-form.ts';
import {
  column,
  countColumn,
  flagColumn,
  none,
  specText,
  templateColumns,
  wideColumn,
} from '../cells.ts';
import { changeSpec, fill } from '../fill.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { shownSelector } from '../label-selector-rule.ts';
import { invalid, notSupported } from '../refusal.ts';
import { about, all, atLeast, fields, isUnset, must, oneOf, type Rule, required } from '../rule.ts';
import { jobSpec, jobSpecDefaults } from './job-rule.ts';

/** Jobs are named after their CronJob with eleven more characters. */
const nameBytesMax = 52;

const schedule: Rule = (value, path) => {
  const text = String(value);
  if (/TZ=/.test(text)) {
    const advice = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    return [invalid(path, text, advice)];
  }
  const parsed = parseCronRule(text);
  return parsed.kind === 'valid' ? [] : [invalid(path, text, parsed.problem)];
};

const timeZone: Rule = (value, path) => {
  if (value === undefined || value === null) return [];
  if (value === '') return [invalid(path, '', 'timeZone must be nil or non-empty string')];
  if (String(value).toLowerCase() === 'local') {
    return [
      invalid(
        path,
        value,
        'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      ),
    ];
  }
  return isTimeZone(String(value)) ? [] : [invalid(path, value, `unknown time zone ${value}`)];
};

const jobTemplate: Rule = about((template, path) => {
  const spec = objectField(template, 'spec');
  const at = `${path}.spec`;
  const errors = [...jobSpec(spec, at)];
  if (!isUnset(spec.selector)) {
    errors.push(invalid(`${at}.selector`, spec.selector, '`selector` will be auto-generated'));
  }
  if (spec.manualSelector === true) {
    errors.push(notSupported(`${at}.manualSelector`, true, ['nil', 'false']));
  }
  return errors;
});

const specRule: Rule = fields({
  schedule: required(schedule),
  startingDeadlineSeconds: atLeast(0),
  timeZone,
  concurrencyPolicy: required(oneOf('Allow', 'Forbid', 'Replace')),
  jobTemplate,
  successfulJobsHistoryLimit: atLeast(0),
  failedJobsHistoryLimit: atLeast(0),
});

const shortName: Rule = must(
  (name) => String(name).length <= nameBytesMax,
  `must be no more than ${nameBytesMax} characters`,
);

function specDefaults(spec: JsonObject): JsonObject {
  const template = objectField(spec, 'jobTemplate');
  // Defaults of the Job itself come when it is made; those of its Pods are here already.
  const jobTemplateSpec = jobTemplateDefaults(objectField(template, 'spec'));
  return {
    ...fill(spec, {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    }),
    jobTemplate: { ...template, spec: jobTemplateSpec },
  };
}

function jobTemplateDefaults(spec: JsonObject): JsonObject {
  const { template } = jobSpecDefaults(spec);
  return { ...spec, template };
}

function templateOf(job: KubeObject): JsonObject {
  const jobTemplateOf = objectField(objectField(job, 'spec'), 'jobTemplate');
  return objectField(objectField(jobTemplateOf, 'spec'), 'template');
}

function suspendCell(job: KubeObject): string {
  const { suspend } = objectField(job, 'spec');
  return typeof suspend === 'boolean' ? (suspend ? 'True' : 'False') : '<unset>';
}

function lastScheduleCell(job: KubeObject, now: number): string {
  const last = textField(objectField(job, 'status'), 'lastScheduleTime');
  return last === '' ? none : formatAge(last, now);
}

/** batch/v1 CronJob. */
export const cronJobRules: KindRules = {
  group: 'batch',
  kind: 'CronJob',
  plural: 'cronjobs',
  columns: [
    nameColumn,
    column('Schedule', 'When it runs.', specText('schedule')),
    column('Timezone', 'Where the clock hangs.', (job) => specText('timeZone')(job) || none),
    flagColumn('Suspend', 'Whether it is on hold.', suspendCell),
    countColumn(
      'Active',
      'Jobs that run now.',
      (job) => listField(objectField(job, 'status'), 'active').length,
    ),
    column('Last Schedule', 'How long ago it last ran.', lastScheduleCell),
    ageColumn,
    ...templateColumns(templateOf),
    wideColumn('Selector', 'Which Pods belong to it.', (job) =>
      shownSelector(
        objectField(objectField(objectField(job, 'spec'), 'jobTemplate'), 'spec').selector,
      ),
    ),
  ],
  defaults: (job) => changeSpec(job, specDefaults),
  prepareCreate: (job) => ({ ...job, status: {} }),
  validate: validation(
    all(fields({ spec: specRule }), fields({ metadata: fields({ name: shortName }) })),
  ),
};
