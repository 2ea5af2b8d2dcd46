import { type CommandChannels, endStream, type WantedStreams } from './command-channels.ts';
import { formatEnd } from './command-end.ts';
import type { ChannelProtocol, WebSocketChannels } from './websocket-channels.ts';

// Numbers of the channels (apimachinery, util/remotecommand).
const numbers = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** The streams of an exec or attach over a WebSocket; all are there from the beginning. */
export function openCommandChannels(
  channels: WebSocketChannels,
  { stdin, stdout, stderr, tty }: WantedStreams,
  protocol: ChannelProtocol,
): CommandChannels {
  const hasErrors = stderr && !tty;
  const out = stdout ? channels.outlet(numbers.stdout) : undefined;
  const errors = hasErrors ? channels.outlet(numbers.stderr) : undefined;
  // As a kubelet: an empty message on the first channel says that the connection stands.
  channels.open(stdout ? numbers.stdout : hasErrors ? numbers.stderr : numbers.error);
  return {
    stdin: stdin ? channels.inlet(numbers.stdin).readable : undefined,
    stdout: out,
    stderr: errors,
    resize: tty ? channels.inlet(numbers.resize).readable : undefined,
    async finish(end) {
      await Promise.all([endStream(out), endStream(errors)]);
      await endStream(channels.outlet(numbers.error), formatEnd(end, protocol.isStatus));
    },
  };
}
