import {
  type ArchiveSource,
  defaultGitInterval,
  type FunctionSource,
  type GitSource,
  type SourceStatus,
} from '@fnlet/api';
import { parseDuration } from '@fnlet/base';

/** What a server is asked, to know what a source is: two Functions may ask the same. */
export interface RemoteQuestion {
  readonly kind: 'git' | 'archive';
  readonly url: string;
  /** Name of the Secret that it takes; `undefined` for none. */
  readonly secret: string | undefined;
  /** Branch or tag; `undefined` is what the repository points to itself. */
  readonly reference: string | undefined;
  /** How often it is asked; `undefined`: once, and on demand. */
  readonly intervalMs: number | undefined;
}

const fullCommit = /^[0-9a-f]{40}$/i;

/** What has to be asked about a source; `undefined` when it says itself exactly what it is. */
export function remoteQuestion({ git, archive }: FunctionSource): RemoteQuestion | undefined {
  if (git !== undefined && !fullCommit.test(git.reference ?? '')) {
    const { url, reference, secretRef, interval = defaultGitInterval } = git;
    const intervalMs = parseDuration(interval);
    return {
      kind: 'git',
      url,
      secret: secretRef?.name,
      reference,
      intervalMs: intervalMs === 0 ? undefined : intervalMs,
    };
  }
  if (archive?.url !== undefined && archive.sha256 === undefined) {
    const { url, secretRef } = archive;
    const secret = secretRef?.name;
    return { kind: 'archive', url, secret, reference: undefined, intervalMs: undefined };
  }
  return undefined;
}

/** Whether an earlier answer is one to this question. */
export function isAnswer(question: RemoteQuestion, found: SourceStatus | undefined): boolean {
  const { kind, url, reference } = question;
  const value = kind === 'git' ? found?.commit : found?.digest;
  return found?.url === url && found.reference === reference && value !== undefined;
}

/** What a source that needs no question is, for the status. */
export function ownAnswer({ git, archive }: FunctionSource): SourceStatus | undefined {
  if (git !== undefined) {
    const { url, reference = '' } = git;
    return { url, reference, commit: reference.toLowerCase() };
  }
  const { url, sha256 } = archive ?? {};
  if (url === undefined || sha256 === undefined) return undefined;
  return { url, digest: plainDigest(sha256) };
}

/**
 * The source as a Revision freezes it: the commit instead of a branch, the digest of the archive,
 * and of the rest what it takes to fetch exactly that once more.
 */
export function pinSource(
  source: FunctionSource,
  { commit = '', digest }: SourceStatus,
): FunctionSource {
  if (source.git !== undefined) return { git: pinGit(source.git, commit) };
  if (source.archive !== undefined) return { archive: pinArchive(source.archive, digest) };
  return source;
}

function pinGit({ url, directory, secretRef }: GitSource, commit: string): GitSource {
  return {
    url,
    reference: commit,
    ...(directory === undefined ? {} : { directory }),
    ...(secretRef === undefined ? {} : { secretRef }),
  };
}

function pinArchive(archive: ArchiveSource, digest: string | undefined): ArchiveSource {
  const { sha256: asked, ...rest } = archive;
  const sha256 = digest ?? asked;
  return sha256 === undefined ? rest : { ...rest, sha256: plainDigest(sha256) };
}

/** Of `sha256:<hex>` the hex. */
export function plainDigest(digest: string): string {
  return digest.replace(/^sha256:/, '').toLowerCase();
}
