import { isUtf8 } from 'node:buffer';
import { sha256 } from '@fnlet/base';

/** The code of a function as its object has it. */
export interface PlannedCode {
  readonly function: string;
  readonly 'function-content-type': string;
  readonly checksum: string;
}

const archives: Readonly<Record<string, RegExp>> = {
  '+zip': /\.zip$/,
  '+compressedtar': /\.(tar\.(gz|bz2|xz)|taz|tgz|tb2|tbz2?|tz2)$/,
};

/**
 * The code that was read from a file or a URL. An archive is known by its ending; one at a URL
 * stays there. Other code is text if it can be.
 *
 * @param place path or URL of it
 */
export function planCode(place: string, bytes: Uint8Array): PlannedCode {
  const isUrl = isCodeUrl(place);
  const path = isUrl ? new URL(place).pathname : place;
  const [kind] = Object.entries(archives).find(([, ending]) => ending.test(path)) ?? [];
  const checksum = `sha256:${sha256(bytes)}`;
  const buffer = Buffer.from(bytes);
  if (kind !== undefined) {
    return {
      function: isUrl ? place : buffer.toString('base64'),
      'function-content-type': `${isUrl ? 'url' : 'base64'}${kind}`,
      checksum,
    };
  }
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64';
  return {
    function: buffer.toString(encoding),
    'function-content-type': encoding === 'utf8' ? 'text' : 'base64',
    checksum,
  };
}

/** Whether code is to be fetched, rather than read from a file. */
export function isCodeUrl(place: string): boolean {
  return /^https?:\/\//.test(place);
}
