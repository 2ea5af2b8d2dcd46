import type { ContainerCommand, ContainerRuntime, ProbeOutcome } from '@fnlet/executor';
import type { Container, ProbeAction } from './container.ts';

export interface AskOptions {
  readonly runtime: ContainerRuntime;
  readonly container: Container;
  /** How commands are run beside the container. */
  readonly place: Omit<ContainerCommand, 'command'>;
  readonly host: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Does what a probe or hook says, once. */
export async function askContainer(
  action: ProbeAction,
  options: AskOptions,
): Promise<ProbeOutcome> {
  const { exec, httpGet, tcpSocket, grpc } = action;
  if (exec !== undefined) return runCommand(exec.command ?? [], options);
  const target = httpGet ?? tcpSocket ?? grpc;
  if (target === undefined) return { ok: true, message: '' };
  const port = findPort(options.container, target.port);
  if (port === undefined) {
    return { ok: false, message: `the container has no port "${target.port}"` };
  }
  const asked = 'host' in target ? target.host : undefined;
  return options.runtime.probe({
    // No words of gRPC are spoken here: that the port takes connections is all that is asked.
    kind: httpGet === undefined ? 'tcp' : 'http',
    host: asked ?? options.host,
    port,
    path: withSlash(httpGet?.path ?? '/'),
    secure: httpGet?.scheme === 'HTTPS',
    headers: Object.fromEntries(
      (httpGet?.httpHeaders ?? []).map(({ name, value }) => [name, value]),
    ),
    timeoutMs: options.timeoutMs,
  });
}

async function runCommand(
  command: readonly string[],
  { runtime, place, timeoutMs, signal }: AskOptions,
): Promise<ProbeOutcome> {
  const [program = '', ...args] = command;
  const located = runtime.locate(program, place.env.PATH ?? '');
  if (located === undefined) {
    return { ok: false, message: `"${program}" is not a program of this machine` };
  }
  const options = { timeoutMs, signal };
  const done = await runtime.execute({ ...place, command: [located, ...args] }, options);
  if (done.timedOut) {
    return { ok: false, message: `command "${command.join(' ')}" timed out` };
  }
  const ok = done.exitCode === 0;
  const said = done.output.trim() || done.startError || '';
  return { ok, message: ok ? said : said || `command ended with exit code ${done.exitCode}` };
}

/** A port by number or by the name that the container gives it. */
function findPort({ ports = [] }: Container, port: number | string): number | undefined {
  if (typeof port === 'number') return port;
  if (/^\d+$/.test(port)) return Number(port);
  return ports.find(({ name }) => name === port)?.containerPort;
}

function withSlash(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}
