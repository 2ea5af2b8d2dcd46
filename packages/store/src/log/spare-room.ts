import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '@fnlet/base';
import { limits } from './limits.ts';

/** Room on the disk that is given up when there is no other, so that records can be dropped. */
function pathIn(directory: string): string {
  return join(directory, 'spare');
}

/** Takes the room, as far as there is any. */
export async function takeSpareRoom(directory: string): Promise<void> {
  const path = pathIn(directory);
  const found = await stat(path).catch(() => undefined);
  if (found?.size === limits.spareBytes) return;
  try {
    await writeFile(path, Buffer.alloc(limits.spareBytes));
  } catch (error) {
    await giveSpareRoom(directory);
    if (!hasCode(error, 'ENOSPC') && !hasCode(error, 'EDQUOT')) throw error;
  }
}

export function giveSpareRoom(directory: string): Promise<void> {
  return rm(pathIn(directory), { force: true });
}
