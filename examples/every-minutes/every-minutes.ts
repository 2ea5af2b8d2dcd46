/**
 * An EveryMinutes makes a Job every so many minutes, unless the last one still runs, and keeps the
 * last three. Between two of them nothing runs: `requeueAfter` is the only clock.
 */
import { asIs, defineKind, field, Job, operator, ready } from 'fnlet/operator';

export const EveryMinutes = defineKind({
  ...{ group: 'example.dev', version: 'v1', kind: 'EveryMinutes', plural: 'everyminutes' },
  description: 'A Job every so many minutes.',
  spec: {
    minutes: field.integer('How many lie between two Jobs.', { minimum: 1, maximum: 10_080 }),
    image: field.text('Image of the one container.', { default: 'node:24-slim' }),
    command: field.list('What it runs.', field.text('A word.')),
  },
  status: { last: field.text('When it was due last.', { format: 'date-time' }) },
  columns: { Minutes: { path: '.spec.minutes', type: 'integer' }, Last: '.status.last' },
});

const minuteMs = 60_000;

export default operator(EveryMinutes, {
  owns: [Job.keep('status.completionTime', 'status.conditions')],
  reconcile({ object, children, now }) {
    const { minutes, image, command } = object.spec;
    const { last } = object.status ?? {};
    const waitsMs =
      last === undefined ? 0 : Date.parse(last) + minutes * minuteMs - Date.parse(now);
    const isDue = waitsMs <= 0;
    const newestFirst = [...children(Job)].sort((a, b) =>
      b.metadata.name.localeCompare(a.metadata.name),
    );
    const isOver = ({ status }: Job): boolean =>
      status?.conditions?.some(({ type }) => type === 'Complete' || type === 'Failed') === true;
    // The same time gives the same name: a run that is repeated makes no second Job.
    const name = `${object.metadata.name}-${Math.floor(Date.parse(now) / minuteMs)}`;
    const containers = [{ name: 'job', image, command }];
    const template = { spec: { restartPolicy: 'Never' as const, containers } };
    const made = Job.of({ metadata: { name }, spec: { template } });
    const mayStart = isDue && newestFirst.every(isOver);
    return {
      children: [...newestFirst.slice(0, 3).map(asIs), ...(mayStart ? [made] : [])],
      status: { last: isDue ? now : last },
      conditions: [ready()],
      requeueAfter: `${isDue ? minutes * minuteMs : waitsMs}ms`,
    };
  },
});
