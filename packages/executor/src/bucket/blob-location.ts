import { BlobError, isBlobKey } from './blob-store.ts';

/** Where blobs are kept. */
export type BlobLocation = { readonly kind: 'directory'; readonly directory: string } | S3Location;

export interface S3Location {
  readonly kind: 's3';
  /** Origin of the server, such as `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: URL;
  readonly bucket: string;
  /** Before every key; empty, or with a slash at its end. */
  readonly prefix: string;
  readonly region: string;
  /** Whether the bucket is the first part of the path, rather than of the name of the host. */
  readonly isPathStyle: boolean;
}

const expected =
  'expected s3://bucket[/prefix][?endpoint=https://…&region=…&style=path] or file:///directory';

/**
 * Reads `s3://bucket/prefix?endpoint=https://…&region=…&style=path`, or `file:///directory`. Where
 * there is no endpoint it is that of AWS in the region, whose default is `us-east-1`; `style` is
 * `path` or `host`, and its default what is most likely to be understood: `host` with AWS, unless the
 * name of the bucket has a dot.
 *
 * @throws BlobError `InvalidStore`
 */
export function parseBlobLocation(text: string): BlobLocation {
  const url = URL.parse(text);
  if (url?.protocol === 'file:' && url.host === '' && url.pathname !== '/' && url.search === '') {
    return { kind: 'directory', directory: decodeURIComponent(url.pathname) };
  }
  if (url?.protocol !== 's3:') throw invalid(text, `expected s3:// or file://; ${expected}`);
  if (url.username !== '' || url.password !== '') {
    throw invalid('s3://…', `found credentials, expected them in variables; ${expected}`);
  }
  const bucket = url.host;
  // The rules of S3 for names of buckets, less that a name is no IP address.
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw invalid(text, `found the bucket "${bucket}", ${expected}`);
  }
  const given = Object.fromEntries(url.searchParams);
  const unknown = Object.keys(given).find((name) => !/^(endpoint|region|style)$/.test(name));
  if (unknown !== undefined) throw invalid(text, `found "${unknown}", ${expected}`);
  const { region = 'us-east-1', style } = given;
  if (!/^[a-z0-9-]+$/.test(region)) throw invalid(text, `found the region "${region}"`);
  if (style !== undefined && style !== 'path' && style !== 'host') {
    throw invalid(text, `found the style "${style}", expected path or host`);
  }
  const endpoint = readEndpoint(text, given.endpoint ?? `https://s3.${region}.amazonaws.com`);
  // No certificate of AWS is for names of hosts with a dot more.
  const isUsual = given.endpoint === undefined && !bucket.includes('.');
  const isPathStyle = style === undefined ? !isUsual : style === 'path';
  return { kind: 's3', endpoint, bucket, prefix: readPrefix(text, url), region, isPathStyle };
}

function readEndpoint(text: string, given: string): URL {
  const endpoint = URL.parse(given);
  const isHttp = endpoint?.protocol === 'https:' || endpoint?.protocol === 'http:';
  if (endpoint === null || !isHttp || endpoint.pathname !== '/' || endpoint.search !== '') {
    throw invalid(text, `found the endpoint "${given}", expected such as https://host:port`);
  }
  return endpoint;
}

function readPrefix(text: string, url: URL): string {
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  if (prefix === '') return '';
  if (!isBlobKey(prefix))
    throw invalid(text, `found the prefix "${prefix}", expected a plain path`);
  return `${prefix}/`;
}

function invalid(text: string, found: string): BlobError {
  const message = `Cannot use "${text}" as the place of artifacts: ${found}`;
  return new BlobError('InvalidStore', message, { remedy: 'See docs/cluster.md, Artifacts.' });
}
