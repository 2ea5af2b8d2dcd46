import type { BrokerObject } from '@fnlet/api';
import { tryParseDuration } from '@fnlet/base';
import type { StreamOptions } from '@fnlet/store/log';
import { brokerLimits } from './limits.ts';

export const brokerStreams = 'broker/';

/** The stream that holds the events of a Broker. */
export function brokerStream(uid: string): string {
  return `${brokerStreams}${uid}`;
}

/** The bounds that a Broker sets to its stream. Its age is no such bound: see `planTrim`. */
export function brokerStreamOptions({ spec }: BrokerObject): StreamOptions {
  const { maxBytes, maxEvents } = spec.retention;
  return {
    dedupeMs: brokerLimits.dedupeMs,
    maxBytes: readBytes(maxBytes),
    ...(maxEvents === undefined ? {} : { maxRecords: maxEvents }),
  };
}

/** How long events are kept that every Trigger is done with. */
export function brokerAgeMs({ spec }: BrokerObject): number {
  return tryParseDuration(spec.retention.maxAge) ?? 0;
}

const units: Readonly<Record<string, number>> = {
  '': 1,
  Ki: 1_024,
  Mi: 1_048_576,
  Gi: 1_073_741_824,
};

function readBytes(text: string | number): number {
  const [, digits = '0', unit = ''] = /^(\d+)(Ki|Mi|Gi)?$/.exec(String(text)) ?? [];
  return Number(digits) * (units[unit] ?? 1);
}
