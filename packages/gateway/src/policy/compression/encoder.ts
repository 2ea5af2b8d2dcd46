import type { Transform } from 'node:stream';
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib';
import { unreachable } from '@fnlet/base';
import type { Coding } from './accept-encoding.ts';

/** Windows of 256 KiB: what text gains beyond is little, and each answer in progress has one. */
const windowBits = 18;

/**
 * Compresses one answer, in the thread pool, at levels that cost little of it: a Gateway compresses
 * everything again and again. With `streaming`, what was written comes out at once, not when there
 * is enough of it.
 */
export function createEncoder(coding: Coding, streaming: boolean): Transform {
  switch (coding) {
    case 'gzip': {
      const flush = streaming ? constants.Z_SYNC_FLUSH : constants.Z_NO_FLUSH;
      return createGzip({ level: 5, flush });
    }
    case 'br': {
      const flush = streaming
        ? constants.BROTLI_OPERATION_FLUSH
        : constants.BROTLI_OPERATION_PROCESS;
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_LGWIN]: windowBits,
      };
      return createBrotliCompress({ flush, params });
    }
    case 'zstd': {
      const flush = streaming ? constants.ZSTD_e_flush : constants.ZSTD_e_continue;
      const params = {
        [constants.ZSTD_c_compressionLevel]: 3,
        [constants.ZSTD_c_windowLog]: windowBits,
      };
      return createZstdCompress({ flush, params });
    }
    default:
      return unreachable(coding);
  }
}
