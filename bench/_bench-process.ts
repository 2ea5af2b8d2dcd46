import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, Socket } from 'node:net';

/** Processes that a benchmark starts, and ends when it is done. */
export class BenchProcesses implements AsyncDisposable {
  readonly #children: ChildProcess[] = [];

  /** Starts a server that gets a free port as last word of its command; its address. */
  async startServer(command: (port: number) => readonly string[]): Promise<string> {
    const port = await freePort();
    const [program = '', ...parameters] = command(port);
    this.#add(spawn(program, parameters, { stdio: ['ignore', 'ignore', 'inherit'] }));
    const url = `http://127.0.0.1:${port}/`;
    await untilAnswering(url);
    return url;
  }

  /** Starts a Runner without its Gateway and gives it this specialisation; its address. */
  async startRunner(command: readonly string[], specialisation: object): Promise<string> {
    const [program = '', ...parameters] = command;
    const child = spawn(program, parameters, {
      env: {},
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    });
    this.#add(child);
    const channel = child.stdio[3];
    if (!(channel instanceof Socket)) throw new Error('The Runner has no control channel');
    channel.write(`${JSON.stringify({ type: 'specialise', specialisation })}\n`);
    let reports = '';
    return new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`The Runner ended with ${code}: ${reports}`)));
      channel.on('data', (chunk: Buffer) => {
        reports += chunk.toString();
        if (!reports.includes('"ready"')) return;
        resolve(`http://127.0.0.1:${/"port": ?(\d+)/.exec(reports)?.[1]}/`);
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#children.map(ended));
  }

  #add(child: ChildProcess): void {
    this.#children.push(child);
  }
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve();
      return;
    }
    // Asked first: a process that has children, such as nginx, ends them, too.
    const patience = setTimeout(() => child.kill('SIGKILL'), 5_000);
    child.once('exit', () => {
      clearTimeout(patience);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Until it answers whatever it may be. */
async function untilAnswering(url: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await fetch(url);
      return;
    } catch (error) {
      if (attempt > 200) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
