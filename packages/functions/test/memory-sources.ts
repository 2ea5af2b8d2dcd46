import { sha256 } from '@fnlet/base';
import {
  ArtifactError,
  type SourceAccess,
  type SourceFetcher,
  type SourceTree,
} from '@fnlet/executor';

type GitRemote = Parameters<SourceFetcher['resolveGit']>[0];

/** A SourceFetcher without a network: servers are entries of a map. */
export class MemorySources implements SourceFetcher {
  /** The references of repositories, by URL, and what they point to. */
  readonly repositories: Map<string, Map<string | undefined, string>> = new Map();
  /** The digests of archives, by URL. */
  readonly archives: Map<string, string> = new Map();
  /** The questions so far. */
  readonly asked: string[] = [];
  /** What every answer waits for. */
  gate: Promise<unknown> = Promise.resolve();

  push(url: string, reference: string | undefined, text: string): string {
    const commit = sha256(text).slice(0, 40);
    const references = this.repositories.get(url) ?? new Map();
    this.repositories.set(url, references.set(reference, commit));
    return commit;
  }

  async resolveGit(
    { url, secret }: GitRemote,
    references: readonly (string | undefined)[],
  ): Promise<ReadonlyMap<string | undefined, string>> {
    this.asked.push(`${url} ${references.join()} ${secret?.password ?? ''}`);
    await this.gate;
    const found = this.repositories.get(url);
    if (found === undefined) throw away(url);
    return new Map([...found].filter(([name]) => references.includes(name)));
  }

  async resolveArchive({ url }: GitRemote): Promise<string> {
    this.asked.push(url);
    await this.gate;
    const digest = this.archives.get(url);
    if (digest === undefined) throw away(url);
    return digest;
  }

  gitTree(tree: { readonly commit: string }, access: SourceAccess): SourceTree {
    return toTree(`${tree.commit} ${access.scope}`);
  }

  archiveTree(tree: { readonly digest: string }, access: SourceAccess): SourceTree {
    return toTree(`${tree.digest} ${access.scope}`);
  }

  bytesTree({ bytes }: { readonly bytes: Uint8Array }): SourceTree {
    return toTree(sha256(bytes));
  }

  uploadedTree({ namespace, digest }: Parameters<SourceFetcher['uploadedTree']>[0]): SourceTree {
    return toTree(`${namespace} ${digest}`);
  }

  async sweep(): Promise<void> {}
}

function toTree(identity: string): SourceTree {
  return { identity, write: async () => {} };
}

function away(url: string): ArtifactError {
  const message = `Cannot reach "${url}": found nobody, expected an answer`;
  return new ArtifactError('SourceUnreachable', message, { retry: 'later' });
}
