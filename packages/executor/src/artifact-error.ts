import { FnletError, type FnletErrorOptions } from '@fnlet/base';

export type ArtifactErrorCode =
  /** A file is not a program. */
  | 'SyntaxError'
  /** The dependencies are not what package.json or package-lock.json allow. */
  | 'BrokenManifest'
  /** The registry does not have this package, or this version of it. */
  | 'DependencyNotFound'
  | 'RegistryUnreachable'
  /** The registry does not know whoever asks, or does not serve them. */
  | 'RegistryDenied'
  /** The installation failed for another reason. */
  | 'InstallFailed'
  | 'InvalidFileName'
  | 'TooLarge'
  /** An archive that cannot be unpacked, or must not be. */
  | 'InvalidArchive'
  /** It is another archive than its checksum says. */
  | 'ChecksumMismatch'
  /** The repository, reference, directory or archive does not exist. */
  | 'SourceNotFound'
  /** The server did not answer, or not as it should. */
  | 'SourceUnreachable'
  /** The server refuses the credentials, or is not the one that was expected. */
  | 'SourceDenied';

/** Where in the source something was found; 1-based, in the file as the user wrote it. */
export interface SourcePosition {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Why a source did not become an artifact. */
export class ArtifactError extends FnletError<ArtifactErrorCode> {
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(
    code: ArtifactErrorCode,
    message: string,
    options: FnletErrorOptions & SourcePosition = {},
  ) {
    super(code, message, options);
    this.file = options.file;
    this.line = options.line;
    this.column = options.column;
  }
}
