import type { Clock, Random } from '@fnlet/base';
import { parseBlobLocation } from './blob-location.ts';
import { BlobError, type BlobStore } from './blob-store.ts';
import { DirectoryBlobs } from './directory-blobs.ts';
import { S3Blobs } from './s3-blobs.ts';
import type { AwsCredentials } from './sign-request.ts';

export interface OpenBlobsOptions {
  /** As `parseBlobLocation` reads it. */
  readonly location: string;
  /** Variables of this process: credentials and proxies, by the names that tools of AWS know. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * The store that is named like this. It is not asked anything yet.
 *
 * @throws BlobError `InvalidStore`
 */
export function openBlobs(options: OpenBlobsOptions): BlobStore {
  const { environment, clock, random } = options;
  const location = parseBlobLocation(options.location);
  if (location.kind === 'directory') {
    return new DirectoryBlobs({ directory: location.directory, random });
  }
  const credentials = readCredentials(environment);
  return new S3Blobs({ location, credentials, environment, clock, random });
}

function readCredentials(environment: OpenBlobsOptions['environment']): AwsCredentials {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId = '',
    AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
    AWS_SESSION_TOKEN: sessionToken = '',
  } = environment;
  if (accessKeyId === '' || secretAccessKey === '') {
    const found = 'found no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, expected both';
    const remedy = 'Put them into a Secret, and name that in artifacts.bucketSecret.';
    throw new BlobError('InvalidStore', `Cannot sign requests to a bucket: ${found}`, { remedy });
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken === '' ? {} : { sessionToken }) };
}
