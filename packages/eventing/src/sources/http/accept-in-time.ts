import { FnletError } from '@fnlet/base';
import type { SourceContext } from '../source.ts';
import { httpEventLimits } from './limits.ts';
import { Patience } from './patience.ts';

/**
 * Keeps the events of requests. Who sent them does not wait for ever; they may be kept all the
 * same.
 *
 * @returns what throws FnletError `NotReady` when there is no room for too long
 */
export function createAcceptInTime({
  accept,
  clock,
}: Pick<SourceContext, 'accept' | 'clock'>): SourceContext['accept'] {
  const patience = new Patience(
    clock,
    httpEventLimits.acceptMs,
    () => new FnletError('NotReady', 'Cannot keep event: too many wait already'),
  );
  return (events) => patience.bound(accept(events));
}
