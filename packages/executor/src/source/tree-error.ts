import { ArtifactError } from '../artifact-error.ts';

/** An archive, or what git gave, cannot be a source. */
export function invalidTree(found: string, expected: string, cause?: unknown): ArtifactError {
  const message = `Cannot unpack the source: found ${found}, expected ${expected}`;
  return new ArtifactError('InvalidArchive', message, {
    cause,
    remedy: 'Make the archive again from plain files.',
  });
}

/** A source has more than may be unpacked. */
export function treeTooLarge(found: string, expected: string): ArtifactError {
  const message = `Cannot unpack the source: found ${found}, expected ${expected}`;
  return new ArtifactError('TooLarge', message, {
    remedy: 'Name the directory of the function alone, and leave out what can be installed.',
  });
}

/** A source holds nothing where it is asked for. */
export function treeNotFound(where: string): ArtifactError {
  const message = `Cannot unpack the source: found no files in ${where}, expected some`;
  return new ArtifactError('SourceNotFound', message, { remedy: 'Correct the directory.' });
}

/** An archive is another one than its checksum says. */
export function checksumMismatch(what: string, expected: string, found: string): ArtifactError {
  const message = `Cannot use ${what}: found sha256 ${found}, expected ${expected}`;
  return new ArtifactError('ChecksumMismatch', message, {
    retry: 'later',
    remedy: 'Correct the checksum, or find out who changed the archive.',
  });
}
