import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMetaTransform, negotiate } from './negotiation.ts';

const agreed = (accept: string | undefined) => negotiate(accept, isMetaTransform);

describe('negotiate()', () => {
  it('answers JSON when nothing or anything is asked', () => {
    for (const accept of [undefined, '', '*/*', 'application/*', 'application/json']) {
      assert.deepEqual(agreed(accept), { mediaType: 'application/json', transform: undefined });
    }
  });

  it('takes the first shape that it has, as kubectl get asks', () => {
    const table = (version: string): string =>
      `application/json;as=Table;v=${version};g=meta.k8s.io`;
    const { transform } = agreed(
      `${table('v9')},${table('v1')},${table('v1beta1')},application/json`,
    );
    assert.deepEqual(transform, { group: 'meta.k8s.io', version: 'v1', kind: 'Table' });
  });

  it('prefers by weight', () => {
    const accept = 'application/json;q=0.5, application/yaml';
    assert.equal(agreed(accept).mediaType, 'application/yaml');
  });

  it('falls back from what it does not serve', () => {
    const accept = 'application/vnd.kubernetes.protobuf,application/json';
    assert.equal(agreed(accept).mediaType, 'application/json');
  });

  it('refuses when nothing fits', () => {
    assert.throws(() => agreed('text/plain'), { code: 'NotAcceptable' });
  });
});
