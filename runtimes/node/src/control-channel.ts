import { Socket } from 'node:net';
import { parseRunnerCommand, type RunnerCommand, type RunnerReport } from '@fnlet/invocation';
import { limits } from './limits.ts';

/** The Runner's end of the channel to its owner: one JSON document a line, both ways. */
export interface ControlChannel {
  report(report: RunnerReport): void;
  /** Ends it once all reports are sent; `onClose` follows. */
  close(): void;
}

export interface ControlChannelListener {
  onCommand(command: RunnerCommand): void;
  /**
   * Code is on its way, and `specialise` follows: calls may wait for it. `false`: it does not come
   * after all. Only where it takes a while.
   */
  onExpected(isExpected: boolean): void;
  /** What the owner sends is no command. */
  onGarbage(): void;
  /** The owner is gone, or the channel was closed here. */
  onClose(): void;
}

/** Opens the channel on a file descriptor that the owner left open for it. */
export function openControlChannel(fd: number, listener: ControlChannelListener): ControlChannel {
  const socket = new Socket({ fd, readable: true, writable: true });
  let parts: string[] = [];
  let length = 0;
  const onLine = (line: string): void => {
    const command = parseRunnerCommand(tryParseJson(line));
    if (command === undefined) listener.onGarbage();
    else listener.onCommand(command);
  };
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const [head = '', ...rest] = chunk.split('\n');
    parts.push(head);
    length += head.length;
    for (const next of rest) {
      onLine(parts.join(''));
      parts = [next];
      length = next.length;
    }
    if (length > limits.controlLineCharactersMax) listener.onGarbage();
  });
  // A broken channel is a closed one; `close` follows.
  socket.on('error', () => socket.destroy());
  socket.on('close', () => listener.onClose());
  return {
    report: (report) => void socket.write(`${JSON.stringify(report)}\n`),
    close: () => socket.destroySoon(),
  };
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
