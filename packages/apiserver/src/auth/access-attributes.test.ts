import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRoute } from '../request/route.ts';
import { type AccessAttributes, requestAttributes } from './access-attributes.ts';

const user = { name: 'jane', groups: [] };

/** `verb group/resource/subresource namespace name`, with `-` for what is empty. */
function attributesOf(method: string, url: string): string {
  const [path = '', query = ''] = url.split('?');
  const route = parseRoute(path);
  assert(route !== undefined);
  const asked = { method, path, query: new URLSearchParams(query) };
  return format(requestAttributes(route, asked, user));
}

function format(attributes: AccessAttributes): string {
  if (attributes.kind === 'path') return `${attributes.verb} ${attributes.path}`;
  const { verb, group, resource, subresource, namespace, name } = attributes;
  const what = [group, resource, subresource].join('/');
  return [verb, what, namespace || '-', name || '-'].join(' ');
}

const pods = '/api/v1/namespaces/t/pods';
const apps = '/apis/apps/v1/namespaces/t/deployments';

const cases: readonly (readonly [method: string, url: string, expected: string])[] = [
  ['GET', pods, 'list /pods/ t -'],
  ['GET', '/api/v1/pods', 'list /pods/ - -'],
  ['GET', `${pods}/a`, 'get /pods/ t a'],
  ['HEAD', `${pods}/a`, 'get /pods/ t a'],
  ['GET', `${pods}?watch=true`, 'watch /pods/ t -'],
  ['GET', `${pods}?watch=1`, 'watch /pods/ t -'],
  ['GET', `${pods}?watch=false`, 'list /pods/ t -'],
  ['GET', `${pods}?watch=0`, 'list /pods/ t -'],
  ['GET', `${pods}?watch=`, 'list /pods/ t -'],
  ['GET', `${pods}/a?watch=true`, 'watch /pods/ t a'],
  ['GET', '/api/v1/watch/namespaces/t/pods', 'watch /pods/ t -'],
  ['GET', '/api/v1/watch/namespaces/t/pods/a', 'watch /pods/ t a'],
  ['GET', `${pods}?fieldSelector=metadata.name%3Da`, 'list /pods/ t a'],
  ['GET', `${pods}?fieldSelector=metadata.name%3Da&watch=true`, 'watch /pods/ t a'],
  ['GET', `${pods}?fieldSelector=status.phase%3DRunning,metadata.name%3D%3Da`, 'list /pods/ t a'],
  ['GET', `${pods}?fieldSelector=metadata.name!%3Da`, 'list /pods/ t -'],
  ['GET', `${pods}?fieldSelector=metadata.name%3D..`, 'list /pods/ t -'],
  ['GET', `${pods}?fieldSelector=metadata.name%3Da%2Fb`, 'list /pods/ t -'],
  ['GET', `${pods}?fieldSelector=nonsense`, 'list /pods/ t -'],
  ['POST', apps, 'create apps/deployments/ t -'],
  ['PUT', `${apps}/d`, 'update apps/deployments/ t d'],
  ['PATCH', `${apps}/d/status`, 'patch apps/deployments/status t d'],
  ['PATCH', `${apps}/d/scale`, 'patch apps/deployments/scale t d'],
  ['DELETE', `${apps}/d`, 'delete apps/deployments/ t d'],
  ['DELETE', apps, 'deletecollection apps/deployments/ t -'],
  ['DELETE', `${apps}?fieldSelector=metadata.name%3Da`, 'deletecollection apps/deployments/ t -'],
  ['GET', `${pods}/a/log`, 'get /pods/log t a'],
  ['POST', `${pods}/a/exec`, 'create /pods/exec t a'],
  ['GET', `${pods}/a/exec`, 'get /pods/exec t a'],
  ['GET', `${pods}/a/proxy/x/y`, 'get /pods/proxy t a'],
  ['POST', '/api/v1/namespaces/t/serviceaccounts/s/token', 'create /serviceaccounts/token t s'],
  ['GET', '/api/v1/namespaces', 'list /namespaces/ - -'],
  ['GET', '/api/v1/namespaces/t', 'get /namespaces/ t t'],
  ['PUT', '/api/v1/namespaces/t/finalize', 'update /namespaces/finalize t t'],
  ['GET', '/apis/example.com/v1/things/x', 'get example.com/things/ - x'],
  ['POST', pods.replace('pods', 'p%6Fds'), 'create /pods/ t -'],
  ['GET', '/api', 'get /api'],
  ['GET', '/apis/apps/v1', 'get /apis/apps/v1'],
  ['GET', '/healthz', 'get /healthz'],
  ['GET', '/health%7A', 'get /healthz'],
  ['OPTIONS', '/metrics', 'options /metrics'],
];

describe('requestAttributes()', () => {
  for (const [method, url, expected] of cases) {
    it(`reads ${method} ${url} as ${expected}`, () => {
      assert.equal(attributesOf(method, url), expected);
    });
  }
});
