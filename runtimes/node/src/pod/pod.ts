import { join } from 'node:path';
import { fs } from '../builtins.ts';
import { run } from '../runner.ts';
import { OwnerAddress } from './owner-address.ts';
import { PodChannel } from './pod-channel.ts';

/**
 * Runs the Runner of a Pod: it connects to its owner, is given the code of one Revision, and serves
 * it on a port of the Pod whether the owner is there or not. A signal drains it.
 *
 * @param argv `--runtime <name> --owner <origin> --token <file> --authority <file>
 *   --directory <path> --port <n>`, and `--host <ip>` where not all addresses are to answer
 * @throws Error for an argument that is missing
 */
export async function runInPod(argv: readonly string[]): Promise<void> {
  const given = (flag: string): string | undefined => {
    const index = argv.indexOf(flag);
    return index === -1 ? undefined : argv[index + 1];
  };
  const argument = (flag: string): string => {
    const value = given(flag);
    if (value === undefined) throw new Error(`Cannot start the Runner: found no ${flag}`);
    return value;
  };
  const runtime = argument('--runtime');
  const directory = argument('--directory');
  fs.mkdirSync(directory, { recursive: true });
  const owner = new OwnerAddress({
    url: argument('--owner'),
    tokenFile: argument('--token'),
    authorityFile: argument('--authority'),
  });
  // Of an earlier life of this container: nobody listens there any more.
  const socket = join(directory, 'socket');
  fs.rmSync(socket, { force: true });
  const host = given('--host') ?? '0.0.0.0';
  const address = ['--socket', socket, '--host', host, '--port', argument('--port')];
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  await run(address, (listener) => new PodChannel({ runtime, owner, directory, listener, say }));
}
