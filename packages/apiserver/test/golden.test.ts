import { it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { normalise } from './golden-form.ts';
import { readGolden, replay, reportOutcomes } from './golden-replay.ts';
import { type OpenedServer, openServer } from './opened-server.ts';

const widgets = '/apis/example.com/v1/namespaces/default/widgets';

function widget(name: string, rest: { metadata?: object; spec?: object } = {}): unknown {
  const metadata = { name, ...rest.metadata };
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec: rest.spec ?? {} };
}

const create = (name: string, rest?: { metadata?: object; spec?: object }) => (s: OpenedServer) =>
  s.ask('POST', widgets, { body: widget(name, rest) });

const merge = (server: OpenedServer, name: string, body: unknown): Promise<unknown> =>
  server.ask('PATCH', `${widgets}/${name}`, { body, contentType: 'application/merge-patch+json' });

const gears = '/apis/example.com/v1/gears';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** What must be there before an exchange; `pause` lets the controllers do their work. */
const before = (pause: () => Promise<void>) => ({
  'cr-delete/precondition uid': create('d1'),
  'cr-delete/with finalizers': create('d2', {
    metadata: { finalizers: ['example.com/a', 'example.com/b'] },
  }),
  'cr-delete/invalid finalizer name': create('d3'),
  'cr-delete/deletecollection': async (server: OpenedServer) => {
    await create('d4', { metadata: { labels: { col: '1' } } })(server);
    await create('d5', { metadata: { labels: { col: '1' } } })(server);
  },
  'crd-delete/delete': async (server: OpenedServer) => {
    await merge(server, 'd3', { metadata: { finalizers: null } });
    await create('hold', { metadata: { finalizers: ['example.com/hold'] } })(server);
  },
  'crd-delete/terminating while an instance has a finalizer': pause,
  'crd-delete/gone': pause,
  'cr-0.36-features/ratcheting: unchanged invalid field tolerated': (server: OpenedServer) =>
    server
      .ask('PATCH', `${crds}/gears.example.com`, {
        contentType: 'application/json-patch+json',
        body: [
          {
            op: 'add',
            path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/legacy/maxLength',
            value: 0,
          },
        ],
      })
      .then(pause),
  'cr-0.36-features/CEL: two rules fail': pause,
  'crd-lifecycle/conflicting names: conditions': pause,
  'crd-lifecycle/list as table': pause,
  'crd-lifecycle/get established': pause,
  'crd-update/existing object shows the new default on read': pause,
});

const during = {
  'cr-watch/from resourceVersion with label selector': async (server: OpenedServer) => {
    await create('w1', { metadata: { labels: { watch: 'yes' } }, spec: { size: 1 } })(server);
    await create('w2', { spec: { size: 1 } })(server);
    await merge(server, 'w1', { spec: { size: 2 } });
    await merge(server, 'w1', { metadata: { labels: { watch: 'no' } } });
    await merge(server, 'w2', { metadata: { labels: { watch: 'yes' } } });
  },
  'cr-watch/table watch': (server: OpenedServer) => merge(server, 'w2', { spec: { size: 5 } }),
  'cr-0.36-features/watch-list then changes': (server: OpenedServer) =>
    server.ask('PATCH', `${gears}/g1`, {
      contentType: 'application/merge-patch+json',
      body: { spec: { max: 8 } },
    }),
};

/** Recorded answers that this server knowingly gives differently, and why. */
const knownDifferences: Readonly<Record<string, string>> = {
  'server/version': 'another version',
  'server/resources': 'storage version hashes, as kube-apiserver has them',
  'server/unknown path': 'another set of paths',
  'server/discovery aggregated v2': 'more groups',
  'server/discovery aggregated v2beta1': 'still served, for kubectl 1.26 to 1.29',
  'server/discovery legacy group list': 'more groups',
  'server/discovery unknown aggregated version': 'more groups',
  'server/openapi v3 index': 'more groups, and no documents of groups without versions',
  'server/openapi v3 unknown group-version': '404 instead of an empty 200',
  'crd-lifecycle/invalid: name, versions, schema': 'Go structs in the text',
  'crd-lifecycle/watch of establishing': 'one step instead of two',
  'crd-lifecycle/list as table': 'a definition without instances is gone at once',
  'cr-crud/invalid: wrong types': 'fields below int-or-string are not warned about',
  'cr-crud/wrong apiVersion': 'the body is not read by the wrong version',
  'cr-crud/not acceptable': 'answers are never in protobuf',
  'cr-crud/put: wrong uid': 'internals of storage in the text',
  'cr-subresources/status invalid': 'the whole path in the text',
  'cr-list/table of unsupported version': 'answers are never in protobuf',
  'cr-watch/bookmarks': 'a bookmark each minute, and one before the end',
  'cr-watch/too old': 'history is still there; tested with a short one',
  'cr-watch/watch: malformed resourceVersion': '400 as for a list',
  'cr-delete/wrong options kind': 'Go source files in the text',
  'cr-0.36-features/fieldValidation Strict: unknown and duplicate': 'the record lost the duplicate',
  'cr-0.36-features/fieldValidation Warn': 'the record lost the duplicate',
  'cr-0.36-features/fieldValidation Strict on json patch': 'unknown fields of a patch are ignored',
};

it('answers as kube-apiserver 0.36 recorded', async (t) => {
  const exchanges = readGolden('golden-0.36.json');
  if (exchanges === undefined) return t.skip('the shared vectors are not there');
  const clock = new VirtualClock();
  await using server = await openServer({ clock });
  const pause = (): Promise<void> => clock.advance(100);
  const outcomes = await replay(server, exchanges, {
    normalise,
    pause,
    before: before(pause),
    during,
  });
  const known = new Map(Object.entries(knownDifferences));
  reportOutcomes(outcomes, known, (text) => t.diagnostic(text));
});
