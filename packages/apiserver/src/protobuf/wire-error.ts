import { FnletError } from '@fnlet/base';

/** Bytes that are no protobuf message of their type; the message is in the words of Go's decoder. */
export class WireError extends FnletError<'MalformedProtobuf'> {
  constructor(text: string, cause?: unknown) {
    super('MalformedProtobuf', text, { cause });
  }
}
