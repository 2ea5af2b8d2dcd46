import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectField, withFields, withMetadata } from '../../src/object/object-form.ts';
import { KindUnderTest } from './kind-under-test.ts';

const jobs = new KindUnderTest('batch/v1', 'jobs');
const podSpec = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'img:1' }] };
const good = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'j' },
  spec: { template: { spec: podSpec } },
};

describe('Job', () => {
  it('has the defaults of batch/v1', () => {
    const job = jobs.create(good);
    const { template: _, selector: __, ...spec } = objectField(job, 'spec');
    assert.deepEqual(spec, {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      manualSelector: false,
      podReplacementPolicy: 'TerminatingOrFailed',
    });
  });

  it('is no single run when it says how many run at once', () => {
    const job = jobs.create({ ...good, spec: { ...good.spec, parallelism: 3 } });
    assert.equal(objectField(job, 'spec').completions, undefined);
  });

  it('selects its Pods by its own uid', () => {
    const job = jobs.create(good);
    const labels = {
      'controller-uid': 'a-uid',
      'job-name': 'j',
      'batch.kubernetes.io/controller-uid': 'a-uid',
      'batch.kubernetes.io/job-name': 'j',
    };
    const spec = objectField(job, 'spec');
    assert.deepEqual(spec.selector, {
      matchLabels: { 'batch.kubernetes.io/controller-uid': 'a-uid' },
    });
    assert.deepEqual(objectField(objectField(spec, 'template'), 'metadata').labels, labels);
    assert.deepEqual(job.metadata.labels, labels);
  });

  const at = 'spec.template.spec';
  jobs.refuses(good, [
    [`${at}.restartPolicy`, 'OnFailure'],
    [
      `${at}.restartPolicy`,
      undefined,
      `${at}.restartPolicy: Required value: valid values: "OnFailure", "Never"`,
    ],
    [
      'spec.parallelism',
      -1,
      'spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.completionMode',
      'Random',
      'spec.completionMode: Unsupported value: "Random": supported values: "NonIndexed", "Indexed"',
    ],
    [
      'spec',
      { ...good.spec, parallelism: 1, completionMode: 'Indexed' },
      'spec.completions: Required value: when completion mode is Indexed',
    ],
    [
      'spec.backoffLimitPerIndex',
      1,
      'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
    ],
    [
      'spec',
      { manualSelector: true, template: { spec: podSpec } },
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
    ],
    [
      'spec.podFailurePolicy',
      { rules: [{ action: 'Ignore' }] },
      'spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
    ],
  ]);

  jobs.refusesChange(good, [
    ['spec.parallelism', 4],
    ['spec.suspend', true],
    ['spec.completions', 2, 'spec.completions: Invalid value: 2: field is immutable'],
    [
      'spec.completionMode',
      'Indexed',
      'spec.completionMode: Invalid value: "Indexed": field is immutable',
    ],
  ]);

  jobs.refusesChange(
    { ...good, spec: { ...good.spec, completionMode: 'Indexed', completions: 2, parallelism: 2 } },
    [
      [
        'spec.completions',
        3,
        'spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism',
      ],
    ],
  );

  it('may not change its template once it runs, but may be placed before', () => {
    const running = jobs.create(good);
    const placed = (job: typeof running) => {
      const spec = objectField(job, 'spec');
      const template = objectField(spec, 'template');
      const nodeSelector = { disk: 'ssd' };
      const inner = { ...objectField(template, 'spec'), nodeSelector };
      return withFields(job, { spec: { ...spec, template: { ...template, spec: inner } } });
    };
    const [refusal = ''] = jobs.refusals(placed(running), running);
    assert.match(refusal, /^spec\.template: Invalid value: \{.*\}: field is immutable$/);
    const waiting = jobs.create({ ...good, spec: { ...good.spec, suspend: true } });
    assert.deepEqual(jobs.refusals(placed(waiting), waiting), []);
  });

  it('shows what kubectl shows', () => {
    assert.deepEqual(jobs.columns(), [
      ['Name', 'Status', 'Completions', 'Duration', 'Age'],
      ['Containers', 'Images', 'Selector'],
    ]);
    const job = jobs.create(good);
    const states: readonly (readonly [
      status: object,
      word: string,
      completions: string,
      duration: string,
    ])[] = [
      [{}, 'Running', '0/1', ''],
      [{ startTime: '2026-01-01T00:59:00Z' }, 'Running', '0/1', '60s'],
      [
        {
          startTime: '2026-01-01T00:10:00Z',
          completionTime: '2026-01-01T00:10:07Z',
          succeeded: 1,
          conditions: [{ type: 'Complete', status: 'True' }],
        },
        'Complete',
        '1/1',
        '7s',
      ],
      [{ conditions: [{ type: 'Failed', status: 'True' }] }, 'Failed', '0/1', ''],
      [{ conditions: [{ type: 'Suspended', status: 'True' }] }, 'Suspended', '0/1', ''],
    ];
    for (const [status, word, completions, duration] of states) {
      const cells = jobs.cells(withFields(job, { status }));
      const { Status, Completions, Duration } = cells;
      assert.deepEqual([Status, Completions, Duration], [word, completions, duration]);
    }
    const dying = withMetadata(job, { deletionTimestamp: '2026-01-01T00:30:00Z' });
    assert.equal(jobs.cells(dying).Status, 'Terminating');
  });
});

const cronJobs = new KindUnderTest('batch/v1', 'cronjobs');
const cron = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'cj' },
  spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: { spec: podSpec } } } },
};

describe('CronJob', () => {
  it('has the defaults of batch/v1, and its Pods theirs', () => {
    const { jobTemplate, ...spec } = objectField(cronJobs.create(cron), 'spec');
    assert.deepEqual(spec, {
      schedule: '*/5 * * * *',
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    const jobSpec = objectField(objectField({ jobTemplate }, 'jobTemplate'), 'spec');
    assert.deepEqual(Object.keys(jobSpec), ['template']);
    const { terminationGracePeriodSeconds } = objectField(objectField(jobSpec, 'template'), 'spec');
    assert.equal(terminationGracePeriodSeconds, 30);
  });

  cronJobs.refuses(cron, [
    ['spec.schedule', '@daily'],
    ['spec.schedule', '', 'spec.schedule: Required value'],
    [
      'spec.schedule',
      '* * *',
      'spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]',
    ],
    [
      'spec.schedule',
      'TZ=UTC * * * * *',
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
    ['spec.timeZone', 'Europe/Berlin'],
    [
      'spec.timeZone',
      'Mars/Olympus',
      'spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus',
    ],
    [
      'spec.concurrencyPolicy',
      'Maybe',
      'spec.concurrencyPolicy: Unsupported value: "Maybe": supported values: "Allow", "Forbid", "Replace"',
    ],
    [
      'spec.jobTemplate.spec.selector',
      { matchLabels: { a: 'b' } },
      'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated',
    ],
    [
      'metadata.name',
      'a'.repeat(53),
      `metadata.name: Invalid value: "${'a'.repeat(53)}": must be no more than 52 characters`,
    ],
  ]);

  it('shows what kubectl shows', () => {
    assert.deepEqual(cronJobs.cells(cronJobs.create(cron)), {
      Name: 'cj',
      Schedule: '*/5 * * * *',
      Timezone: '<none>',
      Suspend: 'False',
      Active: 0,
      'Last Schedule': '<none>',
      Age: '60m',
      Containers: 'c',
      Images: 'img:1',
      Selector: '<none>',
    });
  });
});
