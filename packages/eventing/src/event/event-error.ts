import { FnletError, type FnletErrorOptions } from '@fnlet/base';

/**
 * - `InvalidEvent`: what came is no CloudEvent, or one with an attribute that is not as it has to be.
 * - `UnsupportedFormat`: it is in a format that is not read here.
 * - `TooManyEvents`: a batch has more events than one message may.
 * - `TooLarge`: it has more bytes than can be kept.
 * - `BrokenRecord`: what was kept cannot be read as an event.
 */
export type EventErrorCode =
  | 'InvalidEvent'
  | 'UnsupportedFormat'
  | 'TooManyEvents'
  | 'TooLarge'
  | 'BrokenRecord';

/** Why something cannot be read as an event. */
export class EventError extends FnletError<EventErrorCode> {
  override readonly name = 'EventError';
  /** The attribute that is wrong, where it is one. */
  readonly attribute: string | undefined;

  constructor(
    code: EventErrorCode,
    message: string,
    options: FnletErrorOptions & { readonly attribute?: string } = {},
  ) {
    super(code, message, options);
    this.attribute = options.attribute;
  }
}
