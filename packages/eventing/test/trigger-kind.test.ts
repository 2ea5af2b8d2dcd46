// What the API says about Triggers that are wrong, and how it shows those that are right.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { triggerType } from '@fnlet/api';
import { resourcePath } from '@fnlet/machinery';
import { namespace, World } from './world.ts';

let world: World;

before(async () => {
  world = await World.start();
});

after(() => world[Symbol.asyncDispose]());

async function post(spec: object): Promise<{ readonly status: number; readonly message: string }> {
  const { client } = world.cluster;
  const answer = await client.transport.request({
    method: 'POST',
    path: resourcePath(triggerType, { namespace }),
    body: {
      apiVersion: 'fnlet.dev/v1alpha1',
      kind: 'Trigger',
      metadata: { generateName: 'tried-' },
      spec,
    },
  });
  return { status: answer.status, message: Object(await answer.json()).message };
}

const target = { function: 'hello' };
const http = (source: object): object => ({ source: { http: source }, target });
const schedule = '*/5 * * * *';
const cron = (source: object, to: object = target): object => ({
  source: { cron: { schedule, ...source } },
  target: to,
});
const path = (given: object): object => http({ paths: [given] });

const refused: readonly [string, object, RegExp][] = [
  ['no source', { source: {}, target }, /spec\.source: .*give exactly one source of http/],
  ['no target', { source: { http: {} } }, /spec\.target: Required/],
  [
    'no target in particular',
    { source: { http: {} }, target: {} },
    /exactly one target of function/,
  ],
  ['two targets', cron({}, { function: 'a', broker: 'b' }), /exactly one target of function, url/],
  ['a tag of no Function', cron({}, { broker: 'a', tag: 'b' }), /tag goes with function/],
  ['a URL with a user', cron({}, { url: 'http://a:b@c/' }), /have no user, # and white space/],
  ['a URL of another scheme', cron({}, { url: 'ftp://a' }), /url must start with http/],
  [
    'two sources',
    { source: { http: {}, cron: { schedule } }, target },
    /exactly one source of http/,
  ],
  [
    'requests for a URL',
    { source: { http: {} }, target: { url: 'http://a' } },
    /source http needs/,
  ],
  ['http that pauses', { source: { http: {} }, target, paused: true }, /http cannot be paused/],
  ['no schedule', { source: { cron: {} }, target }, /cron\.schedule: Required/],
  [
    'no kind',
    { source: { kubernetes: { apiVersion: 'v1' } }, target },
    /kubernetes\.kind: Required/,
  ],
  [
    'an unknown change',
    { source: { kubernetes: { apiVersion: 'v1', kind: 'Pod', changes: ['edit'] } }, target },
    /Unsupported value: "edit"/,
  ],
  ['an unknown policy', cron({ missed: 'some' }), /missed: Unsupported value: "some"/],
  ['a jitter of days', cron({ jitter: '25h' }), /jitter must be at most 24h/],
  ['a host in capitals', http({ hosts: ['Shop.example.com'] }), /host must be like shop\.example/],
  ['a host with a port', http({ hosts: ['shop.example.com:80'] }), /without scheme, port and path/],
  ['a URL as host', http({ hosts: ['http://shop.example.com'] }), /without scheme, port and path/],
  ['a wildcard in the middle', http({ hosts: ['shop.*.com'] }), /host must be like/],
  ['the name of a Service', http({ hosts: ['a.b.svc.cluster.local'] }), /name of a Service/],
  ['the short name of a Service', http({ hosts: ['a.b.svc'] }), /name of a Service/],
  ['a Service name with more', http({ hosts: ['a.b.svc.example.com'] }), /name of a Service/],
  ['a host twice', http({ hosts: ['a.b', 'a.b'] }), /Duplicate value/],
  ['a method in lower case', http({ methods: ['get'] }), /Unsupported value: "get"/],
  ['an unknown method', http({ methods: ['CONNECT'] }), /Unsupported value: "CONNECT"/],
  ['no path at all', path({}), /give exactly one of exact, prefix, pattern/],
  ['two paths in one', path({ exact: '/a', prefix: '/b' }), /give exactly one of exact/],
  ['a path without slash', path({ prefix: 'a' }), /path must start with \//],
  ['a path with a query', path({ exact: '/a?b' }), /no white space, \?/],
  ['a path with a parameter', path({ prefix: '/{id}' }), /for parameters use pattern/],
  ['dot segments', path({ prefix: '/a/../b' }), /no \. and \.\. segments/],
  ['encoded dots', path({ prefix: '/a/%2e%2E' }), /no %2E/],
  ['an encoded slash', path({ exact: '/a%2fb' }), /no %2E, %2F/],
  ['an empty segment', path({ exact: '/a//b' }), /no empty segments/],
  ['a parameter within a segment', path({ pattern: '/a{id}' }), /a parameter is a whole segment/],
  ['the rest in the middle', path({ pattern: '/{a...}/b' }), /can only be the last one/],
  ['a parameter without name', path({ pattern: '/{}' }), /a parameter is a whole segment/],
  ['a certificate for no host', http({ tls: { secretName: 'a' } }), /tls.secretName needs hosts/],
  ['TLS without anything about it', http({ hosts: ['a.b'], tls: {} }), /give secretName, redirect/],
  ['a tag that is no name', { source: { http: {} }, target: { ...target, tag: 'A' } }, /tag: Inv/],
  ['a rewrite without slash', http({ rewrite: { path: 'v1' } }), /path must start with \//],
  ['a rewrite with a query', http({ rewrite: { path: '/a?b' } }), /path must start with \//],
  ['a rewrite with a line break', http({ rewrite: { path: '/a\r\nb' } }), /visible ASCII/],
  ['a rewrite with dot segments', http({ rewrite: { path: '/..' } }), /no \. and \.\. segments/],
];

for (const [what, spec, message] of refused) {
  test(`refuses ${what}`, async () => {
    const answer = await post(spec);
    assert.equal(answer.status, 422);
    assert.match(answer.message, message);
  });
}

const taken: readonly [string, object][] = [
  ['every request', http({})],
  ['hosts', http({ hosts: ['localhost', '*.example.com', 'a.b-c.1'] })],
  ['a root', path({ prefix: '/' })],
  ['unusual characters', path({ exact: "/~a/b.c/k%C3%A4se/käse/.well-known/!$&'()*+,;=:@/" })],
  ['parameters', path({ pattern: '/users/{id}/files/{path...}' })],
  ['only parameters', path({ pattern: '/{any...}' })],
  ['a pattern without any', path({ pattern: '/a/b/' })],
  ['a rewrite', http({ rewrite: { path: '/v1/x' } })],
  ['methods', http({ methods: ['GET', 'POST'] })],
  ['a schedule', cron({})],
  ['a schedule with seconds and a list', cron({ schedule: '0,30 */5 8-18 * * MON-FRI' })],
  ['data of any shape', cron({ data: [{ a: 1 }] })],
  ['data as text', cron({ data: 'a=b', contentType: 'application/x-www-form-urlencoded' })],
  ['a URL as target', cron({}, { url: 'https://hooks.example.com:8443/a?b=c' })],
  ['a broker as target', cron({}, { broker: 'orders' })],
  ['objects', { source: { kubernetes: { apiVersion: 'apps/v1', kind: 'Deployment' } }, target }],
  ['a pause', { ...cron({}), paused: true }],
];

for (const [what, spec] of taken) {
  test(`takes ${what}`, async () => {
    const { status, message } = await post(spec);
    assert.equal(status, 201, message);
  });
}

test('kubectl get shows type, target, address and state', async () => {
  await world.apply('shown', { hosts: ['shown.example.com'] });
  const answer = await world.cluster.client.transport.request({
    method: 'GET',
    path: `${resourcePath(triggerType, { namespace })}/shown`,
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  });
  const { columnDefinitions, rows } = Object(await answer.json());
  const names = columnDefinitions.map(({ name }: { readonly name: string }) => name);
  assert.deepEqual(names.slice(0, 6), ['Name', 'Type', 'Target', 'URL', 'Ready', 'Reason']);
  const url = 'http://shown.example.com:8080/';
  const shown = ['shown', 'http', 'hello', url, 'False', 'FunctionNotFound'];
  assert.deepEqual(rows[0].cells.slice(0, 6), shown);
});
