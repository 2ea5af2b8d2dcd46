import { FnletError } from '@fnlet/base';

/** `NotBound`: the API refused to place a Pod on its node. */
export type WorkloadsErrorCode = 'NotBound';

export class WorkloadsError extends FnletError<WorkloadsErrorCode> {
  override readonly name = 'WorkloadsError';
}
