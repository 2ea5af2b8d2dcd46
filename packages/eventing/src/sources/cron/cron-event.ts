import type { CronSource } from '@fnlet/api';
import type { CloudEvent } from '../../event/cloud-event.ts';

/** What an event of a schedule is made of. */
export interface CronEventParts {
  /** URI reference of the Trigger. */
  readonly source: string;
  /** Uid of the Trigger. */
  readonly uid: string;
  readonly scheduledMs: number;
  readonly content: Pick<CronSource, 'data' | 'contentType'>;
}

/** The type of events that are made by a schedule. */
export const cronEventType = 'dev.fnlet.cron';

/** The same time of the same Trigger is the same event, whoever makes it. */
export function cronEvent({ source, uid, scheduledMs, content }: CronEventParts): CloudEvent {
  const time = new Date(scheduledMs).toISOString();
  const { data, contentType } = content;
  const attributes = { id: `${uid}.${time}`, source, type: cronEventType, time } as const;
  if (data === undefined || data === null) {
    return { attributes: { specversion: '1.0', ...attributes }, data: undefined };
  }
  const isText = typeof data === 'string';
  const datacontenttype = contentType ?? (isText ? 'text/plain' : 'application/json');
  return {
    attributes: { specversion: '1.0', ...attributes, datacontenttype },
    data: Buffer.from(isText ? data : JSON.stringify(data)),
  };
}
