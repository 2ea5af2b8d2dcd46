/**
 * What turns a started Runner without code into an Instance of a Revision: everything it needs, in
 * one message. File contents travel as files of a content-addressed directory, byte for byte.
 */
export interface Specialisation {
  readonly namespace: string;
  /** Name of the Function. */
  readonly function: string;
  /** Name of the Revision. */
  readonly revision: string;
  /** Name of the Instance (of its Pod). */
  readonly instance: string;
  /** Runtime as the Function names it, such as `nodejs24`. */
  readonly runtime: string;
  /** Absolute path of the directory that holds the source files, and `node_modules` if any. */
  readonly sourceDirectory: string;
  /**
   * `default`, the name of an export, or `module.export` where `module` is a file of the source
   * without its extension.
   */
  readonly handler: string;
  /** The system whose ways the function keeps; absent: Fnlet's own. */
  readonly compatibility?: Compatibility;
  /** The complete environment of the function: nothing else is there. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: InvocationLimits;
  /** Where names of Services lead; absent: they are not resolved. */
  readonly services?: ServiceAddress;
}

/** Where connections to Services go: somebody who finds them by the Host of the request. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** A system whose functions run unchanged: their handlers, answers and variables are its own. */
export type Compatibility = 'kyma' | 'kubeless';

export interface InvocationLimits {
  /**
   * How long one call may take until its answer begins; then that call alone is cancelled and
   * answered with 408. From there on, how long a streamed answer may be silent; then it is cut off.
   */
  readonly timeoutMs: number;
  /** Largest request body; a larger one is answered with 413. */
  readonly bodyBytesMax: number;
  /** How long calls in flight may go on once the Instance is told to drain. */
  readonly drainMs: number;
  /** Memory that the Instance may use, after which it is killed; absent: what the machine has. */
  readonly memoryBytesMax?: number;
}

/** Why the code of a Revision could not be loaded. */
export interface LoadFailure {
  readonly code:
    | 'SyntaxError'
    | 'MissingExport'
    | 'MissingModule'
    /** It threw. */
    | 'LoadError'
    /** It did not come to an end; said by whoever waited for the Runner. */
    | 'LoadTimeout'
    | 'EntryNotFound';
  readonly message: string;
  /** Path relative to the source directory, where known. */
  readonly file?: string;
  /** 1-based position in the file as the user wrote it. */
  readonly line?: number;
  readonly column?: number;
  readonly stack?: string;
}

/**
 * Messages to a Runner on its control channel: file descriptor 3, one JSON document a line, both
 * ways. Whoever holds the other end owns the Runner; when the channel closes, the Runner ends.
 */
export type RunnerCommand =
  /** Nobody waits: do now, in private, what is slow at first. A Runner may take no notice. */
  | { readonly type: 'rehearse' }
  | { readonly type: 'specialise'; readonly specialisation: Specialisation }
  /** Take no new calls, finish those in flight, then exit with 0. */
  | { readonly type: 'drain' };

/** Messages from a Runner on its control channel. */
export type RunnerReport =
  /** Listening on its addresses, without code yet. */
  | { readonly type: 'warm'; readonly port: number }
  /** It will have code soon: calls that come before may wait there. Told by Runners in Pods. */
  | { readonly type: 'expecting' }
  /** It begins to load this file, relative to the source directory. Code may never let it go on. */
  | { readonly type: 'loading'; readonly file: string }
  /** The code is loaded; calls are answered. */
  | { readonly type: 'ready'; readonly loadMs: number }
  /** The code could not be loaded; the Runner is of no more use. */
  | { readonly type: 'failed'; readonly failure: LoadFailure };
