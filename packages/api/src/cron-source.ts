import type { FieldSchema } from './field-schema.ts';
import { cronScheduleCharactersMax, timeZoneCharactersMax } from './limits.ts';

/** Times at which an event happens. */
export interface CronSource {
  readonly schedule: string;
  /** Default: UTC. */
  readonly timeZone?: string;
  /** What becomes of times that passed while nobody looked. */
  readonly missed: MissedTimes;
  /** What becomes of a time while the event of an earlier one is not delivered. */
  readonly concurrencyPolicy: CronConcurrency;
  /** Default: however late, it happens. */
  readonly startingDeadline?: string;
  /** Default: none. */
  readonly jitter?: string;
  /** Default: the events have no data. */
  readonly data?: unknown;
  /** Default: of a text `text/plain`, of anything else `application/json`. */
  readonly contentType?: string;
}

export type MissedTimes = 'skip' | 'once' | 'all';

export type CronConcurrency = 'Allow' | 'Forbid' | 'Replace';

const durationPattern = '^([0-9]+([.][0-9]+)?(ms|s|m|h))+$';

export const cronSourceSchema: FieldSchema<CronSource> = {
  type: 'object',
  description: 'Times at which an event happens. For several schedules make several Triggers.',
  properties: {
    schedule: {
      type: 'string',
      description:
        'Minute, hour, day of month, month and weekday, as a CronJob has them: "*/5 8-18 * * ' +
        'mon-fri", @hourly, "@every 90s". A sixth field before them is the second.',
      minLength: 1,
      maxLength: cronScheduleCharactersMax,
      pattern: '^[-0-9a-zA-Z*/,?@. ]+$',
      required: true,
    },
    timeZone: {
      type: 'string',
      description:
        'IANA name of the zone whose clock counts, such as Europe/Berlin. What lies in the hour ' +
        'that a spring skips does not happen that day, what lies in the hour that an autumn ' +
        'repeats happens twice. Default is UTC.',
      minLength: 1,
      maxLength: timeZoneCharactersMax,
    },
    missed: {
      type: 'string',
      description:
        'What becomes of times that passed while Fnlet did not run or the Trigger was paused: ' +
        'skip forgets them, once makes up for all of them with one event, that of the last one, ' +
        'all makes up for each.',
      enum: ['skip', 'once', 'all'],
      default: 'once',
    },
    concurrencyPolicy: {
      type: 'string',
      description:
        'What becomes of a time while events of earlier ones are not delivered: Allow takes it ' +
        'all the same, Forbid leaves it out, Replace gives up the earlier ones for it.',
      enum: ['Allow', 'Forbid', 'Replace'],
      default: 'Allow',
    },
    startingDeadline: {
      type: 'string',
      description: 'How late an event may be; later than this it is left out. Default is any.',
      maxLength: 32,
      pattern: durationPattern,
    },
    jitter: {
      type: 'string',
      description:
        'Every Trigger is late by a time of its own, always the same and shorter than this, so ' +
        'that many with one schedule do not begin in one moment. Default is none.',
      maxLength: 32,
      pattern: durationPattern,
      'x-kubernetes-validations': [
        { rule: "duration(self) <= duration('24h')", message: 'jitter must be at most 24h' },
      ],
    },
    data: {
      'x-kubernetes-preserve-unknown-fields': true,
      description:
        'What the events carry: a text as it is, anything else as JSON. Default is nothing.',
    },
    contentType: {
      type: 'string',
      description:
        'Media type of data. Default is text/plain of a text, application/json of anything else.',
      minLength: 1,
      maxLength: 255,
      pattern: '^[!-~]+/[!-~][ -~]*$',
    },
  },
};
