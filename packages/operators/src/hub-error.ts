import { FnletError } from '@fnlet/base';

/** What can go wrong between an object and the function that is asked about it. */
export type HubErrorCode =
  /** The function has no time now: nothing was lost, and no try is counted. */
  | 'FunctionBusy'
  /** The function could not be called, or ended without an answer. */
  | 'CallFailed'
  /** What came back is no answer. */
  | 'InvalidAnswer'
  /** What would have to be sent, or was answered, is larger than the Operator allows. */
  | 'PayloadTooLarge'
  /** The object has changed while the function was asked: the answer is about another one. */
  | 'StaleAnswer'
  /** The Operator says what cannot be meant. */
  | 'InvalidSpec'
  /** The API serves no such kind. */
  | 'KindNotServed'
  /** Other replicas write what is known of operators all the time. */
  | 'RecordsContended';

export class HubError extends FnletError<HubErrorCode> {}
