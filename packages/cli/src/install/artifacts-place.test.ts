import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ArtifactsPlace,
  findArtifactsVolume,
  findBucket,
  judgeArtifactsPlace,
} from './artifacts-place.ts';
import { parseInstallValues } from './install-settings.ts';
import { planInstall } from './plan-install.ts';

function controllerOf(values: object): unknown {
  const planned = planInstall({
    namespace: 'fnlet-system',
    values: parseInstallValues({ image: 'fnlet', ...values }),
  });
  return planned.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'fnlet-controller',
  );
}

const location = 's3://store/one?endpoint=https://objects.test';

test('findBucket() reads what the installation says', () => {
  const artifacts = { bucket: location, bucketSecret: 'keys' };
  assert.deepEqual(findBucket(controllerOf({ artifacts })), { location, secret: 'keys' });
  assert.equal(findBucket(controllerOf({})), undefined);
  assert.equal(findBucket(undefined), undefined);
});

test('findArtifactsVolume() tells a volume from the Pod', () => {
  assert.deepEqual(findArtifactsVolume(controllerOf({})), { kind: 'pod' });
  const artifacts = { persistent: true };
  assert.deepEqual(findArtifactsVolume(controllerOf({ artifacts })), { kind: 'volume' });
});

test('a bucket and its Secret come together, or not at all', () => {
  for (const artifacts of [{ bucket: location }, { bucketSecret: 'keys' }]) {
    assert.throws(() => parseInstallValues({ artifacts }), /artifacts\.bucketSecret/);
  }
});

const bucket = { kind: 'bucket', location, secret: 'keys' } as const;
const all = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'other'];

const judged: readonly (readonly [ArtifactsPlace | undefined, string])[] = [
  [{ kind: 'volume' }, 'ok: kept in the volume of the controller'],
  [{ kind: 'pod' }, 'ok: kept in the Pod of the controller, and made again after it'],
  [{ ...bucket, keys: all }, `ok: kept in ${location}`],
  [{ ...bucket, keys: undefined }, `fail: no Secret "keys" for ${location}`],
  [
    { ...bucket, keys: ['AWS_ACCESS_KEY_ID'] },
    'fail: no AWS_SECRET_ACCESS_KEY in the Secret "keys"',
  ],
  [undefined, ''],
];

for (const [place, expected] of judged) {
  test(`judgeArtifactsPlace() says "${expected}"`, () => {
    const findings = judgeArtifactsPlace(place);
    assert.equal(findings.map(({ state, found }) => `${state}: ${found}`).join(), expected);
  });
}
