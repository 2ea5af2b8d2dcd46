import { type FunctionSource, type RevisionObject, sourceFiles } from '@fnlet/api';
import type { SourceFetcher, SourceFiles, SourceTree } from '@fnlet/executor';
import { plainDigest } from './remote-source.ts';
import type { SecretReader } from './secret-reader.ts';

export interface SourceTreesOptions {
  readonly fetcher: Pick<SourceFetcher, 'gitTree' | 'archiveTree' | 'bytesTree' | 'uploadedTree'>;
  readonly secrets: SecretReader;
}

/** Where the files of Revisions are: in the Revision, or where its source says. */
export class SourceTrees {
  readonly #options: SourceTreesOptions;

  constructor(options: SourceTreesOptions) {
    this.#options = options;
  }

  /** @param fileName that of an inline source */
  of(
    { metadata, spec }: RevisionObject,
    fileName: string,
  ): { readonly files: SourceFiles; readonly tree?: SourceTree } {
    const tree = this.#tree(metadata.namespace ?? '', spec.source);
    return tree === undefined ? { files: sourceFiles(spec.source, fileName) } : { files: {}, tree };
  }

  #tree(namespace: string, { git, archive, artifact }: FunctionSource): SourceTree | undefined {
    const { fetcher, secrets } = this.#options;
    if (artifact !== undefined) {
      return fetcher.uploadedTree({ namespace, digest: plainDigest(artifact) });
    }
    if (git !== undefined) {
      const { url, reference: commit = '', directory = '', secretRef } = git;
      const access = secrets.accessTo(namespace, secretRef?.name);
      return fetcher.gitTree({ url, commit, directory }, access);
    }
    if (archive === undefined) return undefined;
    const { url, data = '', sha256: digest = '', directory = '', secretRef } = archive;
    if (url === undefined) {
      const sha256 = archive.sha256;
      return fetcher.bytesTree({ bytes: Buffer.from(data, 'base64'), sha256 }, directory);
    }
    const access = secrets.accessTo(namespace, secretRef?.name);
    return fetcher.archiveTree({ url, digest, directory }, access);
  }
}
