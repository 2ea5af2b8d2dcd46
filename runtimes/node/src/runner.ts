import { decideTraceTarget, type RunnerCommand, type Specialisation } from '@fnlet/invocation';
import { keepCompiledCode } from './compiled-code.ts';
import {
  type ControlChannel,
  type ControlChannelListener,
  openControlChannel,
} from './control-channel.ts';
import { FunctionServer } from './function-server.ts';
import { InstanceLog } from './instance-log.ts';
import { limits } from './limits.ts';
import { loadFunction } from './load-function.ts';
import { installModuleHooks, type ModuleHooks } from './module-hooks.ts';
import { rehearse } from './rehearsal.ts';
import { parseRunnerArguments } from './runner-arguments.ts';
import { serveFunction } from './served-function.ts';
import { resolveServiceNames } from './service-names.ts';
import { preferSmallHeap } from './small-heap.ts';
import { propagateTraces } from './trace-propagation.ts';
import type { Tracing } from './tracing/tracing.ts';
import { describeThrown } from './user-stack.ts';
import { installWebGlobals } from './web/web-globals.ts';

const controlFd = 3;

/** The way to whoever owns a Runner. */
export type OwnerChannel = (listener: ControlChannelListener) => ControlChannel;

/**
 * Runs a Runner: listens, reports itself warm, and obeys the commands of its control channel.
 *
 * @param open Default: the owner holds the other end of file descriptor 3.
 */
export async function run(
  argv: readonly string[],
  open: OwnerChannel = (listener) => openControlChannel(controlFd, listener),
): Promise<void> {
  const log = new InstanceLog();
  log.install();
  installWebGlobals();
  const runner = new Runner(log, open);
  await runner.start(argv);
}

/**
 * The life of a Runner: warm, then the process of one Revision, then draining, then gone.
 *
 * I1. It is specialised once; a second Revision never sees the globals of a first.
 * I2. It never outlives its owner: when the control channel closes, it exits at once.
 */
class Runner {
  readonly #log: InstanceLog;
  readonly #open: OwnerChannel;
  readonly #server: FunctionServer;
  readonly #hooks: ModuleHooks = installModuleHooks();
  #socketPath = '';
  #host = '';
  #control: ControlChannel | undefined;
  #rehearsal: Promise<void> | undefined;
  #specialisation: Specialisation | undefined;
  #tracing: Tracing | undefined;
  #ending = false;

  constructor(log: InstanceLog, open: OwnerChannel) {
    this.#log = log;
    this.#open = open;
    this.#server = new FunctionServer(log);
  }

  async start(argv: readonly string[]): Promise<void> {
    const { socketPath, host, port: wantedPort } = parseRunnerArguments(argv);
    this.#socketPath = socketPath;
    this.#host = host;
    await this.#server.listenOnSocket(socketPath);
    const port = await this.#server.listenOnPort(host, wantedPort);
    propagateTraces(() => this.#server.currentCall);
    process.on('SIGTERM', () => this.#drain());
    process.on('SIGINT', () => this.#drain());
    process.on('uncaughtException', (error) => this.#crash(error));
    process.on('unhandledRejection', (reason) => {
      this.#log.say(`Unhandled rejection: ${describeThrown(reason)}`);
    });
    this.#control = this.#open({
      onCommand: (command) => this.#obey(command),
      onExpected: (isExpected) => {
        if (isExpected) this.#server.expect();
        else this.#server.refuse();
      },
      onClose: () => process.exit(),
      onGarbage: () => {
        this.#log.say('Cannot read the control channel: found no command, expected one a line');
        process.exit(2);
      },
    });
    this.#control.report({ type: 'warm', port });
  }

  #obey(command: RunnerCommand): void {
    switch (command.type) {
      case 'rehearse':
        this.#rehearse();
        break;
      case 'specialise':
        void this.#specialise(command.specialisation);
        break;
      case 'drain':
        this.#drain();
        break;
    }
  }

  #rehearse(): void {
    if (this.#specialisation !== undefined || this.#rehearsal !== undefined) return;
    this.#rehearsal = rehearse({
      socketPath: `${this.#socketPath}.r`,
      hooks: this.#hooks,
      isAwaited: () => this.#specialisation !== undefined,
    })
      // By now all is compiled that a call needs: the Runners that start next find it in the cache.
      .then(keepCompiledCode)
      // Without a rehearsal the Runner is only slower at first.
      .catch(() => {});
  }

  async #specialise(specialisation: Specialisation): Promise<void> {
    if (this.#specialisation !== undefined) return;
    this.#specialisation = specialisation;
    this.#server.expect();
    const startMs = performance.now();
    await this.#rehearsal;
    const { services, namespace } = specialisation;
    if (services !== undefined) resolveServiceNames(services, { namespace, host: this.#host });
    // Before the first line of the user's runs: it may be the last one that does.
    const onEntry = (file: string): void => this.#control?.report({ type: 'loading', file });
    const loaded = await loadFunction(specialisation, this.#hooks, onEntry);
    if (loaded.kind === 'failed') {
      this.#control?.report({ type: 'failed', failure: loaded.failure });
      this.#server.refuse();
      return;
    }
    this.#tracing = await this.#startTracing(specialisation);
    const served = {
      ...(await serveFunction(specialisation, loaded.handler)),
      ...(this.#tracing === undefined ? {} : { tracing: this.#tracing }),
    };
    this.#control?.report({ type: 'ready', loadMs: performance.now() - startMs });
    this.#server.serve(served);
    // Late enough for the cache to hold the functions that a first call compiles, too: what is in
    // it is written once and read by all Runners after.
    setTimeout(() => {
      keepCompiledCode();
      preferSmallHeap(specialisation.limits);
    }, limits.cacheFlushDelayMs).unref();
  }

  async #startTracing(specialisation: Specialisation): Promise<Tracing | undefined> {
    const target = decideTraceTarget(specialisation.env, specialisation.compatibility);
    if (target === undefined) return undefined;
    const { startTracing } = await import('./tracing/function-tracing.ts');
    const tracing = startTracing({
      ...{ target, specialisation },
      currentCall: () => this.#server.currentCall,
      say: (text) => this.#log.say(text),
    });
    // After its code: an SDK of its own comes first.
    tracing.register();
    return tracing;
  }

  #drain(): void {
    this.#end(this.#specialisation?.limits.drainMs ?? 0, 0);
  }

  // After an uncaught exception the state of the process is anybody's guess (Node's own advice), so
  // it ends; but the calls in flight are innocent and get a moment.
  #crash(error: Error): void {
    this.#log.say(`Uncaught exception: ${describeThrown(error)}`);
    this.#server.currentCall?.fail(error);
    this.#end(limits.crashDrainMs, 1);
  }

  async #flushSpans(): Promise<void> {
    if (this.#tracing === undefined) return;
    const { promise: isLate, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, limits.spanFlushMs);
    await Promise.race([this.#tracing.flush(), isLate]);
  }

  #end(drainMs: number, exitCode: number): void {
    if (this.#ending) return;
    this.#ending = true;
    void this.#server
      .drain(drainMs)
      .then(() => this.#flushSpans())
      .then(() => this.#leave(exitCode));
  }

  // Node may hang for good while it exits (nodejs/node#54918). The owner sees the channel end, and
  // kills what is still there a moment later.
  #leave(exitCode: number): void {
    process.exitCode = exitCode;
    if (this.#control === undefined) process.exit();
    this.#control.close();
  }
}
