import type { TriggerSpec } from '@fnlet/api';
import { compileCesql } from '../cesql/cesql-program.ts';
import type { CloudEvent } from '../event/cloud-event.ts';

/** What events of a Trigger keep their order by: as it says, or as its source keeps it. */
export function orderingKeyOf({ source, delivery }: TriggerSpec): string | undefined {
  const hasKeys = source.kafka !== undefined || source.kinesis !== undefined;
  return delivery?.orderingKey ?? (hasKeys ? 'partitionkey' : undefined);
}

/**
 * How the key of an event is found: an attribute, or an expression of CESQL. An event without it
 * has none.
 *
 * @throws CesqlError when it is neither
 */
export function compileOrderingKey(text: string): (event: CloudEvent) => string | undefined {
  if (/^[a-z0-9]+$/.test(text)) {
    return ({ attributes }) => {
      const value = attributes[text];
      return value === undefined ? undefined : String(value);
    };
  }
  const program = compileCesql(text);
  return ({ attributes }) => {
    const { value, troubles } = program.evaluate(attributes);
    return troubles.length > 0 ? undefined : String(value);
  };
}
