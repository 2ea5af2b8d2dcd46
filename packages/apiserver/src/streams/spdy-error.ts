import { FnletError } from '@fnlet/base';

/** `BadFrame`: what no frame is; `BadHeaders`: a header block that cannot be read. */
export type SpdyErrorCode = 'BadFrame' | 'BadHeaders';

/** A peer that does not speak SPDY/3.1: its connection ends. */
export class SpdyError extends FnletError<SpdyErrorCode> {}
