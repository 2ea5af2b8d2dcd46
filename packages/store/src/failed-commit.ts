import { statfs } from 'node:fs/promises';
import { errorMessage, type FnletErrorOptions } from '@fnlet/base';

/** Why LMDB did not commit, as the store and the log report it. */
export interface FailedCommit {
  /** `Full`: nothing was committed, and room can be made. `Broken`: the disk failed. */
  readonly code: 'Full' | 'Broken';
  readonly message: string;
  readonly options: FnletErrorOptions;
}

// EDQUOT, MDB_MAP_FULL, ENOSPC.
const fullCodes: readonly unknown[] = [122, -30792, 28];
const roomMin = 4_194_304;

export async function explainFailedCommit(
  error: unknown,
  directory: string,
): Promise<FailedCommit> {
  const cause = await causeOf(error);
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const found = errorMessage(cause);
  // LMDB calls a write that did not fit EIO, as it calls a failing disk (mdb_page_flush).
  const { bavail, bsize } = await statfs(directory);
  return fullCodes.includes(code) || bavail * bsize < roomMin
    ? {
        code: 'Full',
        message: `Cannot write to "${directory}": ${found}, expected room on the disk`,
        options: {
          cause,
          retry: 'later',
          remedy: 'Make room on the disk that holds the data directory',
        },
      }
    : {
        code: 'Broken',
        message: `Cannot write to "${directory}": ${found}, expected a flushed commit`,
        options: {
          cause,
          remedy: 'Check the disk that holds the data directory, then start again',
        },
      };
}

/** lmdb rejects with a general error that carries a promise which rejects with the reason. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
