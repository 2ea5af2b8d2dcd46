import { pipeline } from 'node:stream/promises';
import type { ContainerProcess, TerminalSize } from '../pod/pod-runtime.ts';
import type { CommandChannels } from './command-channels.ts';
import type { CommandEnd } from './command-end.ts';
import { readTerminalSizes } from './terminal-size.ts';

/**
 * Connects a client to a process until that ends, and tells the client how it did. Never rejects:
 * a client that leaves ends the process through the signal that it was started with.
 */
export async function runCommand(
  channels: CommandChannels,
  start: () => Promise<ContainerProcess>,
  toEnd: (error: unknown) => CommandEnd,
): Promise<void> {
  let end: CommandEnd;
  try {
    end = await follow(channels, await start());
  } catch (error) {
    end = toEnd(error);
  }
  // Nobody takes input any more: what still comes must not hold up the connection.
  channels.stdin?.destroy();
  channels.resize?.destroy();
  await channels.finish(end);
}

async function follow(channels: CommandChannels, process: ContainerProcess): Promise<CommandEnd> {
  const { stdin, resize } = channels;
  if (process.stdin === undefined) stdin?.resume();
  else if (stdin !== undefined) quietly(pipeline(stdin, process.stdin));
  if (resize !== undefined) quietly(followSizes(resize, (size) => process.resize(size)));
  const outputs = (['stdout', 'stderr'] as const).map(async (name) => {
    const from = process[name];
    const to = channels[name];
    if (from === undefined) return;
    if (to === undefined) from.resume();
    // A process may say nothing more and go on; the client is told when that ends.
    else await pipeline(from, to, { end: false });
  });
  const [exitCode] = await Promise.all([process.exitCode, Promise.allSettled(outputs)]);
  return { kind: 'exited', exitCode };
}

async function followSizes(
  source: AsyncIterable<Uint8Array>,
  onSize: (size: TerminalSize) => void,
): Promise<void> {
  for await (const size of readTerminalSizes(source)) onSize(size);
}

// Input that nobody takes (any more) is not an error of the command.
function quietly(work: Promise<void>): void {
  work.catch(() => {});
}
