import { expandVariables } from '@fnlet/machinery';
import type { Container } from './container.ts';

/** What may run here, and where it is. */
export interface CommandContext {
  /** Fnlet's own Node, which stands for the images `node`. */
  readonly nodeProgram: string;
  readonly nodeVersion: string;
  /** Whether containers may run any program of this machine. */
  readonly allowHostCommands: boolean;
  /** All of the container's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The program's file, as a shell would find it. */
  locate(program: string, path: string): string | undefined;
}

/** The command line of a container, or why there is none. */
export type CommandPlan =
  | {
      readonly kind: 'run';
      readonly command: readonly string[];
      /** What runs in place of the image. */
      readonly imageId: string;
    }
  | { readonly kind: 'refused'; readonly message: string };

type RuntimeImage = 'node' | 'python';

/** Waits until it is told to end, as the images `pause` of Kubernetes do. */
const pauseScript =
  "for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));" +
  // What may yet be told something keeps Node running, and costs nothing.
  'new MessageChannel().port1.onmessage = () => {};';

/**
 * Which runtime an image is: `node` and `python` as Docker's official images are called, from any
 * registry (`mirror.example/library/node`) and with any tag.
 */
export function runtimeImage(image: string): RuntimeImage | undefined {
  const { segments, name } = readImage(image);
  if (/[.:]|^localhost$/.test(segments[0] ?? '')) segments.shift();
  const isOfficial = segments.length === 0 || segments.at(-1) === 'library';
  return isOfficial && (name === 'node' || name === 'python') ? name : undefined;
}

/** Whether it is the image that does nothing, from any registry and with any tag. */
function isPause({ image, command = [], args = [] }: Container): boolean {
  const { name } = readImage(image);
  const isPlain = args.length === 0 && (command.length === 0 || command.join() === '/pause');
  return name === 'pause' && isPlain;
}

/** The name of an image, and the segments of its path before that. */
function readImage(image: string): { readonly segments: string[]; readonly name: string } {
  const [path = ''] = image.split('@');
  const segments = path.split('/');
  const [name = ''] = segments.pop()?.split(':') ?? [];
  return { segments, name };
}

/** What a container would run: its command and arguments with their variables put in. */
export function planCommand(container: Container, context: CommandContext): CommandPlan {
  const { env, allowHostCommands } = context;
  if (isPause(container)) {
    const command = [context.nodeProgram, '-e', pauseScript];
    return { kind: 'run', command, imageId: 'fnlet://pause' };
  }
  const lookup = (name: string): string | undefined =>
    Object.hasOwn(env, name) ? env[name] : undefined;
  const expand = (text: string): string => expandVariables(text, lookup);
  const entry = (container.command ?? []).map(expand);
  const args = (container.args ?? []).map(expand);
  const image = runtimeImage(container.image);
  const found = image === undefined ? undefined : locateRuntime(image, context);
  if (image !== undefined && found !== undefined) {
    const given = [...entry, ...args];
    const [first = image, ...rest] = given;
    const imageId = image === 'node' ? `fnlet://node@${context.nodeVersion}` : `fnlet://${found}`;
    if (isProgramOf(image, first)) return { kind: 'run', command: [found, ...rest], imageId };
    // As the images' own entry point: what is no program is an argument of the runtime.
    const isProgram = entry.length > 0 || context.locate(first, env.PATH ?? '') !== undefined;
    if (!isProgram) return { kind: 'run', command: [found, ...given], imageId };
  }
  const [program, ...rest] = [...entry, ...args];
  if (image !== undefined && found === undefined) {
    return refuse(container, `there is no ${image} on this machine`, `Install ${image}`);
  }
  if (entry.length === 0 && image === undefined) {
    const why = 'Fnlet runs processes and pulls no images, and the container has no command';
    const remedy = allowHostCommands
      ? 'Give it a command that exists on this machine'
      : 'Give it a command, and start Fnlet with --allow-host-commands';
    return refuse(container, why, remedy);
  }
  if (!allowHostCommands) {
    const why = `Fnlet pulls no images, and may not run "${program}" of this machine instead`;
    return refuse(container, why, 'Start Fnlet with --allow-host-commands to allow it');
  }
  const located = context.locate(program ?? '', env.PATH ?? '');
  if (located !== undefined) {
    return { kind: 'run', command: [located, ...rest], imageId: `fnlet://${located}` };
  }
  const why = `"${program}" is not a program of this machine`;
  return refuse(container, why, `Install it, or name another one (PATH is ${env.PATH ?? ''})`);
}

function locateRuntime(image: RuntimeImage, context: CommandContext): string | undefined {
  if (image === 'node') return context.nodeProgram;
  const path = context.env.PATH ?? '';
  return context.locate('python3', path) ?? context.locate('python', path);
}

const programNames = {
  node: ['node', 'nodejs', '/usr/local/bin/node'],
  python: ['python', 'python3', '/usr/local/bin/python', '/usr/local/bin/python3'],
} as const;

function isProgramOf(image: RuntimeImage, program: string): boolean {
  const names: readonly string[] = programNames[image];
  return names.includes(program) || /^python3\.\d+$/.test(image === 'python' ? program : '');
}

function refuse({ image }: Container, why: string, remedy: string): CommandPlan {
  return { kind: 'refused', message: `Cannot run image "${image}": ${why}. ${remedy}.` };
}
