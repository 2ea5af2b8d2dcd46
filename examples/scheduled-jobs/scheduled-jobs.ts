/**
 * A ScheduledJob makes a Job whenever its schedule says so, and keeps the last few: what a CronJob
 * does, as an operator. Between two runs nothing runs: `requeueAfter` is the only clock.
 */
import {
  asIs,
  defineKind,
  field,
  Job,
  nextCronTime,
  type ObjectOf,
  operator,
  ready,
  run,
} from 'fnlet/operator';

export const ScheduledJob = defineKind({
  group: 'example.dev',
  version: 'v1',
  kind: 'ScheduledJob',
  description: 'A Job that is made again and again.',
  spec: {
    schedule: field.text('Five fields as in a CronJob, @daily and the like, or @every 1h.'),
    image: field.text('Image of the one container.', { default: 'node:24-slim' }),
    command: field.list('What it runs.', field.text('A word.')),
    overlap: field.choice('When the last one still runs.', ['Allow', 'Forbid', 'Replace'], {
      default: 'Forbid',
    }),
    keep: field.integer('How many finished Jobs stay.', { default: 3, minimum: 0, maximum: 50 }),
  },
  status: { lastTime: field.text('The last time that was due.', { format: 'date-time' }) },
  columns: { Schedule: '.spec.schedule', Last: { path: '.status.lastTime', type: 'date' } },
});
type ScheduledJob = ObjectOf<typeof ScheduledJob>;

const scheduledJobs = operator(ScheduledJob, {
  owns: [Job.keep('status')],
  reconcile({ object, children, now }) {
    const { schedule, overlap, keep } = object.spec;
    const since = object.status?.lastTime ?? object.metadata.creationTimestamp ?? now;
    const due = lastDue(schedule, since, now);
    const jobs = [...children(Job)].toSorted((a, b) =>
      a.metadata.name < b.metadata.name ? 1 : -1,
    );
    const running = jobs.filter(({ status }) => status?.completionTime === undefined);
    const finished = jobs.filter((job) => !running.includes(job)).slice(0, keep);
    const isHeldBack = overlap === 'Forbid' && running.length > 0;
    const stays = due !== undefined && overlap === 'Replace' ? finished : [...running, ...finished];
    const next = nextCronTime(schedule, now);
    return {
      children: [
        ...stays.map(asIs),
        ...(due === undefined || isHeldBack ? [] : [job(object, due)]),
      ],
      ...(due === undefined ? {} : { status: { lastTime: due } }),
      conditions: [ready(next === undefined ? 'It is never due again.' : `It is due at ${next}.`)],
      requeueAfter: next === undefined ? undefined : `${Date.parse(next) - Date.parse(now)}ms`,
    };
  },
});
export default scheduledJobs;

// As a program it runs itself: node scheduled-jobs.ts
if (import.meta.main) await run(scheduledJobs);

/** The last time between `since` and `now` that a schedule names: what was missed is not made up. */
function lastDue(schedule: string, since: string, now: string): string | undefined {
  let last: string | undefined;
  for (let count = 0, due = nextCronTime(schedule, since); count < 1000; count++) {
    if (due === undefined || Date.parse(due) > Date.parse(now)) break;
    last = due;
    due = nextCronTime(schedule, due);
  }
  return last;
}

function job({ metadata: { name }, spec }: ScheduledJob, due: string) {
  const { image, command } = spec;
  return Job.of({
    // The same time gives the same name: a run that is repeated makes no second Job.
    metadata: { name: `${name}-${Date.parse(due) / 1000}` },
    spec: {
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'job', image, command }] },
      },
    },
  });
}
