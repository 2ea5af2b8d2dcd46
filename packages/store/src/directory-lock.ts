import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, isJsonObject } from '@fnlet/base';
import { isAlive, type ProcessIdentity, thisProcess } from './process-identity.ts';
import { StoreError } from './store-error.ts';

/** Held until released; released by death as well. */
export interface DirectoryLock {
  release(): Promise<void>;
}

interface Claim {
  readonly generation: number;
  /** Who holds the directory; `undefined` once released. */
  readonly holder: ProcessIdentity | undefined;
}

/**
 * Makes this process the one owner of `directory`.
 *
 * The lock is the file `owner.<generation>` with the highest generation; it names its holder, and
 * is empty once released (which needs no room on a full disk). A holder that is dead or has
 * released makes room for the next generation.
 *
 * I1. A generation is created complete and at most once (a link to a finished file fails when the
 *     name is taken), so of several processes that take over, one wins.
 * I2. A generation is removed only when a higher one exists, and whoever has created one looks
 *     again for a higher one. So nobody wins a generation that is already history.
 *
 * @throws StoreError `Locked` with the pid of the holder
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const self = await thisProcess();
  for (;;) {
    const current = await readClaim(directory);
    if (current?.holder !== undefined && (await isAlive(current.holder))) {
      throw lockedError(directory, current.holder.pid);
    }
    const generation = (current?.generation ?? 0) + 1;
    if (!(await createClaim(directory, generation, self))) continue;
    const [highest = generation, ...older] = await generations(directory);
    if (highest !== generation) {
      await rm(claimPath(directory, generation), { force: true });
      continue;
    }
    await Promise.all(older.map((old) => rm(claimPath(directory, old), { force: true })));
    return { release: () => truncate(claimPath(directory, generation)) };
  }
}

function claimPath(directory: string, generation: number): string {
  return join(directory, `owner.${generation}`);
}

/** The generations that exist, highest first. */
async function generations(directory: string): Promise<number[]> {
  const names = await readdir(directory);
  return names
    .flatMap((name) => /^owner\.(\d{1,15})$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a);
}

async function readClaim(directory: string): Promise<Claim | undefined> {
  for (;;) {
    const [generation] = await generations(directory);
    if (generation === undefined) return undefined;
    try {
      const text = await readFile(claimPath(directory, generation), 'utf8');
      return { generation, holder: parseHolder(text) };
    } catch (error) {
      // Removed since the directory was read: a higher generation exists by now (I2).
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
}

/** `undefined` for a claim that is released, or that a power failure has left half written. */
function parseHolder(text: string): ProcessIdentity | undefined {
  const claim = tryParseJson(text);
  if (!isJsonObject(claim) || typeof claim.pid !== 'number') return undefined;
  const { pid, startedAt } = claim;
  return { pid, startedAt: typeof startedAt === 'string' ? startedAt : undefined };
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the claim is ours. It appears under its name finished, so nobody reads half of it. */
async function createClaim(
  directory: string,
  generation: number,
  holder: ProcessIdentity,
): Promise<boolean> {
  const draft = join(directory, `.owner.${randomUUID()}`);
  try {
    await writeFile(draft, JSON.stringify(holder));
    await link(draft, claimPath(directory, generation));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function lockedError(directory: string, pid: number): StoreError {
  return new StoreError(
    'Locked',
    `Cannot open store "${directory}": process ${pid} owns it, expected no owner`,
    { pid, remedy: `Stop process ${pid}, or choose another data directory` },
  );
}
