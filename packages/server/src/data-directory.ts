import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errorMessage, FnletError, hasCode } from '@fnlet/base';

/** Where the parts of an embedded Fnlet keep their files. */
export interface DataDirectory {
  readonly root: string;
  readonly store: string;
  readonly pki: string;
  readonly executor: string;
  readonly pods: string;
  readonly uploads: string;
  /** There from the first asynchronous call on. */
  readonly asyncCalls: string;
  /** What operators know across restarts. */
  readonly operators: string;
  readonly kubeconfig: string;
  readonly endpoints: string;
  readonly token: string;
}

/**
 * Makes the directory, for its owner only, and names its parts.
 *
 * @throws FnletError `DataDirectoryUnusable`
 */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  const root = resolve(path);
  try {
    await makeDirectories(root);
    await chmod(root, 0o700);
  } catch (cause) {
    const found = `found ${errorMessage(cause)}, expected a directory that can be made or is yours`;
    throw new FnletError('DataDirectoryUnusable', `Cannot use data directory "${root}": ${found}`, {
      cause,
      remedy: 'Name a directory that you may write to, with --data-dir',
    });
  }
  return {
    root,
    store: join(root, 'store'),
    pki: join(root, 'pki'),
    executor: join(root, 'executor'),
    pods: join(root, 'pods'),
    uploads: join(root, 'uploads'),
    asyncCalls: join(root, 'async'),
    operators: join(root, 'operators'),
    kubeconfig: join(root, 'kubeconfig'),
    endpoints: join(root, 'endpoints.json'),
    token: join(root, 'pki', 'admin-token'),
  };
}

// Not mkdir's `recursive`: below /proc, where nothing can be made, Node's never comes back.
async function makeDirectories(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (hasCode(error, 'EEXIST') && (await stat(path)).isDirectory()) return;
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
    await makeDirectories(dirname(path));
    await mkdir(path);
  }
}

/** Writes a file so that a reader sees the old text or the new one, never half of it. */
export async function writeFileAtomically(path: string, text: string, mode: number): Promise<void> {
  const staged = `${path}.${process.pid}.tmp`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await writeFile(staged, text, { mode });
    await rename(staged, path);
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  }
}

/** The administrator's bearer token: made at the first start, kept from then on. */
export async function readOrCreateToken(path: string): Promise<string> {
  const kept = await readFile(path, 'utf8').catch(() => '');
  if (/^[\w-]{43}$/.test(kept.trim())) return kept.trim();
  const token = randomBytes(32).toString('base64url');
  await writeFileAtomically(path, `${token}\n`, 0o600);
  return token;
}
