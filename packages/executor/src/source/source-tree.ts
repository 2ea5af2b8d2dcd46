import type { WorkCaller } from '../shared-work.ts';

/** Files that are not in the Function itself, by a name that always means the same files. */
export interface SourceTree {
  /**
   * Names the content: a commit and a directory, or the digest of an archive and a directory. Trees
   * of the same identity are the same, wherever they come from.
   */
  readonly identity: string;
  /**
   * Writes the files into an empty directory.
   *
   * @throws ArtifactError
   */
  write(directory: string, caller: WorkCaller): Promise<void>;
}
