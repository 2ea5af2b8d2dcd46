/**
 * Runners in Pods. Nobody holds the other end of a file descriptor there, so the Runner itself
 * connects to its owner, the controller: HTTPS, `GET /runner` with `Upgrade: fnlet-runner`, and
 * `Authorization: Bearer` the token of its Pod, which the API says is that Pod's (TokenReview,
 * audience `fnlet-runner`). After 101 the connection carries one JSON document a line, both ways:
 * first a {@link PodHello}, then what goes over a {@link RunnerCommand | control channel}, but that
 * the files of a Revision are named by digest and fetched from the same server,
 * `GET /files/<digest>`.
 *
 * Unlike a process, a Pod outlives the connection: it goes on serving, connects again, and says in
 * its hello what became of it.
 */
import { parseRunnerCommand } from './runner-command.ts';
import type { LoadFailure, RunnerCommand, Specialisation } from './specialisation.ts';

/** Where Runners find their owner, below its origin. */
export const podPaths: { readonly channel: string; readonly files: string } = {
  channel: '/runner',
  files: '/files/',
};

/** What both sides call the protocol in `Upgrade`. */
export const podProtocol = 'fnlet-runner';

/** The audience of the tokens that Runners show: the API takes them for nothing else. */
export const podAudience = 'fnlet-runner';

/** The first line of a Runner, on every connection. */
export interface PodHello {
  readonly type: 'hello';
  /** Name of the runtime that it is for, such as `nodejs24`. */
  readonly runtime: string;
  /** Where it answers HTTP/1.1, on the address of its Pod. */
  readonly port: number;
  readonly state: PodState;
}

/** What became of a Runner. */
export type PodState =
  /** It has no code yet. */
  | { readonly phase: 'warm' }
  | {
      readonly phase: 'loading' | 'ready' | 'draining';
      /** Namespace and name of the Revision, and the name of the Instance that it became. */
      readonly instance: PodInstance;
    }
  | { readonly phase: 'failed'; readonly instance: PodInstance; readonly failure: LoadFailure };

/** Which Instance a Pod is. */
export interface PodInstance {
  readonly namespace: string;
  readonly revision: string;
  readonly instance: string;
}

/** Where the files of a Revision are. */
export interface PodFiles {
  /** sha256 of the archive, in hex. */
  readonly digest: string;
  /** The archive itself in Base64: tar, compressed by gzip. Default: it is fetched by its digest. */
  readonly inline?: string;
}

/** What the Revision consists of. */
export interface PodArtifact {
  readonly source: PodFiles;
  /** Installed packages: the archive holds the contents of the folder. */
  readonly dependencies?: PodFiles & { readonly folder: 'node_modules' | 'site-packages' };
}

/** Messages to a Runner in a Pod. */
export type PodCommand =
  | Exclude<RunnerCommand, { readonly type: 'specialise' }>
  | {
      readonly type: 'specialise';
      readonly specialisation: Omit<Specialisation, 'sourceDirectory'>;
      readonly artifact: PodArtifact;
    };

/** Reads one message to a Runner in a Pod; `undefined` when `value` is none. */
export function parsePodCommand(value: unknown): PodCommand | undefined {
  if (!isRecord(value)) return undefined;
  if (value.type !== 'specialise') {
    const command = parseRunnerCommand(value);
    return command?.type === 'specialise' ? undefined : command;
  }
  const { specialisation, artifact } = value;
  if (!isRecord(specialisation) || !isArtifact(artifact)) return undefined;
  const whole = { type: 'specialise', specialisation: { ...specialisation, sourceDirectory: '/' } };
  const command = parseRunnerCommand(whole);
  if (command?.type !== 'specialise') return undefined;
  const { sourceDirectory: _, ...rest } = command.specialisation;
  return { type: 'specialise', specialisation: rest, artifact };
}

type Fields = Readonly<Record<string, unknown>>;

const folders: readonly unknown[] = ['node_modules', 'site-packages'];

function isArtifact(value: unknown): value is PodArtifact {
  if (!isRecord(value) || !isFiles(value.source)) return false;
  const { dependencies } = value;
  if (dependencies === undefined) return true;
  return isFiles(dependencies) && isRecord(dependencies) && folders.includes(dependencies.folder);
}

// A digest becomes the name of a directory, and part of a URL.
function isFiles(value: unknown): value is PodFiles {
  if (!isRecord(value)) return false;
  const { digest, inline } = value;
  const isDigest = typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest);
  return isDigest && (inline === undefined || typeof inline === 'string');
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
