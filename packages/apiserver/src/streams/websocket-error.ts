import { FnletError } from '@fnlet/base';

/** `ProtocolError`: not RFC 6455; closes with 1002. */
export type WebSocketErrorCode = 'ProtocolError';

/** A client that does not speak WebSocket: its connection ends. */
export class WebSocketError extends FnletError<WebSocketErrorCode> {}
