import { open } from 'node:fs/promises';
import { isJsonObject } from '@fnlet/base';
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';
import type { Connection } from './connection.ts';
import { exitCodes } from './exit-codes.ts';
import { uploadPieceBytes } from './limits.ts';
import type { PackedSource } from './packed-source.ts';

interface UploadState {
  readonly bytes: number;
  readonly complete: boolean;
}

/**
 * Brings an archive to the API, in pieces; what is there already is not sent again, not even of an
 * upload that was interrupted.
 */
export async function uploadSource(
  { transport, namespace }: Connection,
  packed: PackedSource,
  { signal, stderr }: CliContext,
): Promise<void> {
  const group = '/apis/artifacts.fnlet.dev/v1alpha1';
  const path = `${group}/namespaces/${namespace}/artifacts/${packed.digest}`;
  const ask = async (body?: object): Promise<UploadState> => {
    const method = body === undefined ? 'GET' : 'PUT';
    const response = await transport.request({ method, path, body, signal });
    const value = await response.json();
    if (response.status === 404 && body === undefined && isNotFound(value)) return nothing;
    if (response.status !== 200) throw refused(packed, value);
    return parseState(packed, value);
  };
  let state = await ask();
  if (state.complete) return;
  stderr.write(`  uploading ${Math.ceil(packed.bytes / 1024)} KiB\n`);
  await using file = await open(packed.path);
  while (!state.complete) {
    const offset = state.bytes;
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(uploadPieceBytes),
      position: offset,
    });
    const last = offset + bytesRead >= packed.bytes;
    const data = buffer.subarray(0, bytesRead).toString('base64');
    state = await ask({ offset, data, last });
    if (!state.complete && state.bytes === offset) throw refused(packed, 'no progress');
  }
}

const nothing: UploadState = { bytes: 0, complete: false };

/** Said about this archive, and not about the path as a whole. */
function isNotFound(value: unknown): boolean {
  return isJsonObject(value) && value.reason === 'NotFound' && /"/.test(String(value.message));
}

function parseState(packed: PackedSource, value: unknown): UploadState {
  if (isJsonObject(value)) {
    const { bytes, complete } = value;
    if (typeof bytes === 'number' && typeof complete === 'boolean') return { bytes, complete };
  }
  throw refused(packed, value);
}

function refused(packed: PackedSource, said: unknown): CliError {
  const text = isJsonObject(said) ? String(said.message ?? 'no message') : String(said);
  return new CliError(
    exitCodes.failed,
    `Cannot upload the source (${packed.bytes} bytes): the API answers: ${text}`,
    { remedy: 'Uploads need Fnlet behind the API, and the right to update artifacts.fnlet.dev' },
  );
}
