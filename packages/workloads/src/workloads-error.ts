import { FnletError } from '@fnlet/base';

/**
 * - `NotBound`: the API refused to place a Pod on its node.
 * - `InvalidSchedule`: a CronJob's schedule or time zone cannot be read.
 */
export type WorkloadsErrorCode = 'NotBound' | 'InvalidSchedule';

export class WorkloadsError extends FnletError<WorkloadsErrorCode> {
  override readonly name = 'WorkloadsError';
}
