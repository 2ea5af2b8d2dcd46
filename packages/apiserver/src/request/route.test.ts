import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRoute } from './route.ts';

const place = { kind: 'resource', group: '', version: 'v1', namespace: '', watch: false };

describe('parseRoute()', () => {
  const cases: readonly [string, object][] = [
    ['/api', { kind: 'coreVersions' }],
    ['/apis/', { kind: 'groups' }],
    ['/apis/g.example', { kind: 'group', group: 'g.example' }],
    ['/api/v1', { kind: 'resources', group: '', version: 'v1' }],
    ['/healthz', { kind: 'other', path: '/healthz' }],
    ['/api/v1/pods', { ...place, plural: 'pods', name: undefined, subresource: undefined }],
    [
      '/api/v1/namespaces/a/pods/b/log',
      { ...place, namespace: 'a', plural: 'pods', name: 'b', subresource: 'log' },
    ],
    ['/api/v1/namespaces/a', { ...place, plural: 'namespaces', name: 'a', subresource: undefined }],
    [
      '/api/v1/namespaces/a/finalize',
      { ...place, plural: 'namespaces', name: 'a', subresource: 'finalize' },
    ],
    [
      '/apis/g/v2/watch/namespaces/a/things',
      {
        ...place,
        group: 'g',
        version: 'v2',
        namespace: 'a',
        plural: 'things',
        name: undefined,
        subresource: undefined,
        watch: true,
      },
    ],
    [
      '/api/v1/namespaces/a/services/b/proxy/x/y',
      { ...place, namespace: 'a', plural: 'services', name: 'b', subresource: 'proxy/x/y' },
    ],
    [
      '/api/v1/namespaces/a/configmaps/%2e%2e%2fb',
      { ...place, namespace: 'a', plural: 'configmaps', name: '../b', subresource: undefined },
    ],
  ];
  for (const [path, expected] of cases) {
    it(`reads ${path}`, () => assert.deepEqual(parseRoute(path), expected));
  }

  it('gives nothing for broken encoding', () => {
    assert.equal(parseRoute('/api/v1/pods/%zz'), undefined);
  });
});
