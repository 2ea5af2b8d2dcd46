import { type FunctionReason, functionReasons } from '@fnlet/api';
import { type BackoffOptions, errorMessage } from '@fnlet/base';
import type { Instance, RunnableRevision } from '@fnlet/executor';
import type { LoadFailure } from '@fnlet/invocation';
import { limits, rolloutBackoffs } from './limits.ts';

/** Why a Revision does not run, in the words of conditions and Events. */
export interface RolloutFailure {
  /** The step that failed. */
  readonly step: 'source' | 'dependencies' | 'load';
  readonly reason: FunctionReason;
  /** `file:line: text` where a place is known. */
  readonly message: string;
  /** How long to wait before the next try; `undefined` when only a change can help. */
  readonly backoff: BackoffOptions | undefined;
}

type Verdict = Omit<RolloutFailure, 'message'>;

const loadVerdicts: Readonly<Record<string, Verdict>> = {
  EnvironmentNotFound: {
    step: 'source',
    reason: functionReasons.environmentNotFound,
    backoff: rolloutBackoffs.soon,
  },
  UnknownRuntime: { step: 'source', reason: functionReasons.unknownRuntime, backoff: undefined },
  RuntimeNotFound: {
    step: 'dependencies',
    reason: functionReasons.runtimeNotFound,
    backoff: rolloutBackoffs.soon,
  },
  SyntaxError: { step: 'source', reason: functionReasons.loadFailed, backoff: undefined },
  InvalidFileName: { step: 'source', reason: functionReasons.sourceInvalid, backoff: undefined },
  TooLarge: { step: 'source', reason: functionReasons.sourceInvalid, backoff: undefined },
  InvalidArchive: { step: 'source', reason: functionReasons.sourceInvalid, backoff: undefined },
  ChecksumMismatch: fetching(functionReasons.checksumMismatch),
  SourceNotFound: fetching(functionReasons.sourceNotFound),
  SourceUnreachable: fetching(functionReasons.sourceUnreachable),
  SourceDenied: fetching(functionReasons.sourceDenied),
  SourceSecretNotFound: fetching(functionReasons.sourceDenied),
  BrokenManifest: {
    step: 'dependencies',
    reason: functionReasons.manifestInvalid,
    backoff: undefined,
  },
  DependencyNotFound: {
    step: 'dependencies',
    reason: functionReasons.dependencyNotFound,
    backoff: rolloutBackoffs.install,
  },
  RegistryUnreachable: {
    step: 'dependencies',
    reason: functionReasons.registryUnreachable,
    backoff: rolloutBackoffs.soon,
  },
  RegistryDenied: {
    step: 'dependencies',
    reason: functionReasons.registryDenied,
    backoff: rolloutBackoffs.install,
  },
  InstallFailed: {
    step: 'dependencies',
    reason: functionReasons.installFailed,
    backoff: rolloutBackoffs.install,
  },
};

// Somebody may mend it on the other side.
function fetching(reason: FunctionReason): Verdict {
  return { step: 'source', reason, backoff: rolloutBackoffs.soon };
}

/** What it means that a Revision could not be loaded: ArtifactError, FunctionsError or a bug. */
export function loadingFailure(error: unknown): RolloutFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const verdict = loadVerdicts[code] ?? {
    step: 'source',
    reason: functionReasons.internalError,
    backoff: rolloutBackoffs.soon,
  };
  return { ...verdict, message: located(placeOf(error), errorMessage(error)) };
}

/** What it means that the process of an Instance has ended by itself. */
export function instanceFailure({ lastExit, revision }: Instance): RolloutFailure {
  if (lastExit?.outOfMemory === true) return outOfMemory(revision, lastExit.said);
  const failure = lastExit?.failure;
  if (failure !== undefined) return loadFailure(failure);
  const how = lastExit?.signal ?? `code ${lastExit?.code ?? 'unknown'}`;
  return {
    step: 'load',
    reason: functionReasons.instanceCrashed,
    message: withOutput(`The process ended with ${how}`, lastExit?.said),
    backoff: rolloutBackoffs.crash,
  };
}

function withOutput(text: string, said: string | undefined): string {
  const known = said === undefined ? text : `${text}. It said last:\n${said}`;
  return known.slice(0, limits.messageCharactersMax);
}

function outOfMemory({ resources }: RunnableRevision, said: string | undefined): RolloutFailure {
  const limit = resources?.limits?.memory ?? 'unknown';
  return {
    step: 'load',
    reason: functionReasons.outOfMemory,
    message: withOutput(
      `The process was killed: it used more memory than its limit of ${limit}. Raise ` +
        'spec.resources.limits.memory, or hold less at once',
      said,
    ),
    backoff: rolloutBackoffs.crash,
  };
}

function loadFailure(failure: LoadFailure): RolloutFailure {
  const message = located(failure, failure.message);
  const backoff = loadBackoffs[failure.code];
  return { step: 'load', reason: functionReasons.loadFailed, message, backoff };
}

// A frozen source that cannot be parsed, or lacks what is asked for, will not come round; code that
// throws or waits while it loads may have met a database that was away.
const loadBackoffs: Readonly<Partial<Record<LoadFailure['code'], BackoffOptions>>> = {
  LoadError: rolloutBackoffs.crash,
  LoadTimeout: rolloutBackoffs.loadTimeout,
};

interface Place {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

function placeOf(error: unknown): Place {
  if (!(error instanceof Error)) return {};
  const file = 'file' in error && typeof error.file === 'string' ? error.file : undefined;
  const line = 'line' in error && typeof error.line === 'number' ? error.line : undefined;
  return { file, line };
}

function located({ file, line }: Place, text: string): string {
  const place = file === undefined || line === undefined ? file : `${file}:${line}`;
  // Some texts name the place themselves.
  const isNamed = place === undefined || text.includes(place);
  return (isNamed ? text : `${place}: ${text}`).slice(0, limits.messageCharactersMax);
}
