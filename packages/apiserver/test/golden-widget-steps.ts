import type { Step, Steps } from './golden-replay.ts';
import type { OpenedServer } from './opened-server.ts';

type Request = (server: OpenedServer) => Promise<unknown>;

function widget(name: string, rest: { metadata?: object; spec?: object }): unknown {
  const metadata = { name, ...rest.metadata };
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec: rest.spec ?? {} };
}

const gears = '/apis/example.com/v1/gears';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const mergePatch = 'application/merge-patch+json';

const pause: Step = (_, wait) => wait();

/**
 * What both recorded servers were asked for, between their answers about custom resources, in the
 * namespace that they used.
 */
export function widgetSteps(namespace: string): Steps {
  const widgets = `/apis/example.com/v1/namespaces/${namespace}/widgets`;
  const create = (name: string, rest: { metadata?: object; spec?: object } = {}): Request => {
    return (server) => server.ask('POST', widgets, { body: widget(name, rest) });
  };
  const merge = (name: string, body: unknown): Request => {
    const options = { body, contentType: mergePatch };
    return (server) => server.ask('PATCH', `${widgets}/${name}`, options);
  };
  const before: Steps['before'] = {
    'cr-delete/precondition uid': create('d1'),
    'cr-delete/with finalizers': create('d2', {
      metadata: { finalizers: ['example.com/a', 'example.com/b'] },
    }),
    'cr-delete/invalid finalizer name': create('d3'),
    'cr-delete/deletecollection': async (server) => {
      await create('d4', { metadata: { labels: { col: '1' } } })(server);
      await create('d5', { metadata: { labels: { col: '1' } } })(server);
    },
    'crd-delete/delete': async (server) => {
      await merge('d3', { metadata: { finalizers: null } })(server);
      await create('hold', { metadata: { finalizers: ['example.com/hold'] } })(server);
    },
    'crd-delete/terminating while an instance has a finalizer': pause,
    'crd-delete/gone': pause,
    'cr-0.36-features/ratcheting: unchanged invalid field tolerated': async (server, wait) => {
      const schema = '/spec/versions/0/schema/openAPIV3Schema';
      const path = `${schema}/properties/spec/properties/legacy/maxLength`;
      await server.ask('PATCH', `${crds}/gears.example.com`, {
        contentType: 'application/json-patch+json',
        body: [{ op: 'add', path, value: 0 }],
      });
      await wait();
    },
    'cr-0.36-features/CEL: two rules fail': pause,
    'crd-lifecycle/conflicting names: conditions': pause,
    'crd-lifecycle/list as table': pause,
    'crd-lifecycle/get established': pause,
    'crd-update/existing object shows the new default on read': pause,
  };
  const during: Steps['during'] = {
    'cr-watch/from resourceVersion with label selector': async (server) => {
      await create('w1', { metadata: { labels: { watch: 'yes' } }, spec: { size: 1 } })(server);
      await create('w2', { spec: { size: 1 } })(server);
      await merge('w1', { spec: { size: 2 } })(server);
      await merge('w1', { metadata: { labels: { watch: 'no' } } })(server);
      await merge('w2', { metadata: { labels: { watch: 'yes' } } })(server);
    },
    'cr-watch/table watch': merge('w2', { spec: { size: 5 } }),
    'cr-0.36-features/watch-list then changes': (server) =>
      server.ask('PATCH', `${gears}/g1`, { body: { spec: { max: 8 } }, contentType: mergePatch }),
  };
  return { before, during };
}
