import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { readTraceContext } from '@fnlet/invocation';
import { http } from './builtins.ts';
import type { CallSetting } from './call.ts';
import { type CallFacts, createContext } from './call-context.ts';
import type { Handler } from './handler.ts';
import { randomTraceId } from './trace-id.ts';
import { describeThrown } from './user-stack.ts';

/** A connection that asks for another protocol, such as WebSocket. */
export interface UpgradeRequest {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What the client sent after the head. */
  readonly head: Buffer;
  readonly setting: CallSetting;
}

// The largest time that a Date holds: such a connection has no deadline.
const neverMs = 8_640_000_000_000_000;

/**
 * Hands a connection over to the `upgrade` of the user's module. Its signal aborts when the
 * connection closes. A throw before anything was answered is a 500.
 */
export function handOver(
  upgrade: NonNullable<Handler['upgrade']>,
  asked: UpgradeRequest,
  onClose: () => void,
): void {
  const { requestId, request, socket, head, setting } = asked;
  const abort = new AbortController();
  const log = setting.log.open(requestId);
  const facts: CallFacts = {
    requestId,
    request,
    setting,
    log,
    deadlineMs: neverMs,
    signal: abort.signal,
    trace: readTraceContext(request.headers, randomTraceId),
  };
  socket.on('close', () => {
    abort.abort();
    log.end();
    onClose();
  });
  // A client that resets the connection is no uncaught exception.
  socket.on('error', () => socket.destroy());
  const fail = (error: unknown): void => {
    setting.log.say(describeThrown(error));
    refuseUpgrade(socket, 500, 'Internal Server Error');
  };
  setting.log.run(log, () => {
    try {
      Promise.resolve(upgrade(request, socket, head, createContext(facts))).catch(fail);
    } catch (error) {
      fail(error);
    }
  });
}

/** Answers with a plain status and closes. */
export function refuseUpgrade(socket: Duplex, status: number, text: string): void {
  if (socket.destroyed || socket.writableEnded) return;
  const head = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
