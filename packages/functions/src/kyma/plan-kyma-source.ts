import type { FunctionSource } from '@fnlet/api';
import type { KymaFunctionSpec, KymaSource } from '@fnlet/api/kyma';

/** The code of a function and its dependencies, as Fnlet has them. */
export interface KymaCode {
  readonly source: FunctionSource;
  readonly dependencies?: string;
}

/**
 * The code in the file that Kyma puts it into: error messages name it, and a script in sloppy mode
 * stays one.
 */
export function planKymaSource({ runtime, source }: KymaFunctionSpec): KymaCode {
  const { inline, gitRepository } = source;
  if (inline === undefined) return { source: planGit(gitRepository) };
  const file = runtime.startsWith('python') ? 'handler.py' : 'handler.js';
  const { dependencies = '' } = inline;
  return {
    source: { files: { [file]: inline.source } },
    ...(dependencies.trim() === '' ? {} : { dependencies }),
  };
}

// Kyma asks a repository again after as long, and people wait at most five minutes for a push.
const gitInterval = '2m';

function planGit(repository: KymaSource['gitRepository']): FunctionSource {
  if (repository === undefined) return {};
  const { url, reference = '', baseDir = '', auth } = repository;
  const directory = baseDir.split('/').filter((part) => part.trim() !== '' && part !== '.');
  return {
    git: {
      url: withoutUser(url),
      reference: reference.trim(),
      interval: gitInterval,
      ...(directory.length === 0 ? {} : { directory: directory.join('/') }),
      ...(auth === undefined ? {} : { secretRef: { name: auth.secretName.trim() } }),
    },
  };
}

/** Some hosts show addresses with a user name in them; the Secret says who logs in. */
function withoutUser(url: string): string {
  return url.replace(/^(https?:\/\/)[^/@:]+@/, '$1');
}
