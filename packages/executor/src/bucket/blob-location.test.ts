import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBlobLocation, type S3Location } from './blob-location.ts';

interface Read extends Omit<S3Location, 'kind' | 'endpoint'> {
  readonly endpoint: string;
}

const read: readonly (readonly [string, Read])[] = [
  [
    's3://store',
    {
      ...{ endpoint: 'https://s3.us-east-1.amazonaws.com/', bucket: 'store', prefix: '' },
      ...{ region: 'us-east-1', isPathStyle: false },
    },
  ],
  [
    's3://my.store/fnlet/one/?region=eu-central-1',
    {
      ...{ endpoint: 'https://s3.eu-central-1.amazonaws.com/', bucket: 'my.store' },
      ...{ prefix: 'fnlet/one/', region: 'eu-central-1', isPathStyle: true },
    },
  ],
  [
    's3://store?endpoint=http://minio.storage.svc:9000',
    {
      ...{ endpoint: 'http://minio.storage.svc:9000/', bucket: 'store', prefix: '' },
      ...{ region: 'us-east-1', isPathStyle: true },
    },
  ],
  [
    's3://store?endpoint=https://objects.test&style=host&region=de',
    {
      ...{ endpoint: 'https://objects.test/', bucket: 'store', prefix: '' },
      ...{ region: 'de', isPathStyle: false },
    },
  ],
];

for (const [text, expected] of read) {
  test(`parseBlobLocation() reads ${text}`, () => {
    const location = parseBlobLocation(text);
    assert.equal(location.kind, 's3');
    const found = {
      ...location,
      ...('endpoint' in location && { endpoint: location.endpoint.href }),
    };
    assert.deepEqual(found, { kind: 's3', ...expected });
  });
}

test('parseBlobLocation() reads a directory', () => {
  const location = parseBlobLocation('file:///mnt/some%20artifacts');
  assert.deepEqual(location, { kind: 'directory', directory: '/mnt/some artifacts' });
});

for (const text of [
  '',
  'store',
  'https://store',
  'file:///',
  'file://host/mnt',
  's3://Store',
  's3://st',
  's3://store/a//b',
  's3://store/../b%2F',
  's3://store?endpoint=minio:9000',
  's3://store?endpoint=http://minio/path',
  's3://store?style=other',
  's3://store?region=',
  's3://store?acl=public',
]) {
  test(`parseBlobLocation() refuses "${text}"`, () => {
    assert.throws(() => parseBlobLocation(text), { code: 'InvalidStore' });
  });
}

test('parseBlobLocation() does not repeat credentials', () => {
  assert.throws(
    () => parseBlobLocation('s3://key:secret@store'),
    ({ message }: Error) => message.includes('found credentials') && !message.includes('secret'),
  );
});
