import { it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { objectAt } from './at.ts';
import { normalise } from './golden-form.ts';
import {
  type Exchange,
  readGolden,
  replay,
  reportOutcomes,
  type Step,
  type Steps,
} from './golden-replay.ts';
import { widgetSteps } from './golden-widget-steps.ts';
import { type OpenedServer, openServer } from './opened-server.ts';

const pause: Step = (_, wait) => wait();
const maps = '/api/v1/namespaces/t/configmaps';

function configMap(name: string, rest: object = {}, data?: object): object {
  const metadata = { name, ...rest };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...(data === undefined ? {} : { data }) };
}

const create = (name: string, rest?: object, data?: object) => (server: OpenedServer) =>
  server.ask('POST', maps, { body: configMap(name, rest, data) });

const pages = async (server: OpenedServer): Promise<void> => {
  for (let n = 0; n < 5; n++) {
    await create(`pg${n}`, { labels: { pg: '1', n: String(n) } }, { i: String(n) })(server);
  }
};

function owned(policy: string, rest: object = {}) {
  return async (server: OpenedServer): Promise<void> => {
    const { body } = await create(`own-${policy}`)(server);
    const { uid } = objectAt(body, '/metadata');
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: `own-${policy}`, uid };
    const reference = policy === 'foreground' ? { ...owner, blockOwnerDeletion: true } : owner;
    await create(`dep-${policy}`, { ownerReferences: [reference], ...rest })(server);
  };
}

const before: Steps['before'] = {
  'configmap-crud/immutable: change refused': (server: OpenedServer) =>
    server.ask('POST', maps, { body: { ...configMap('imm', {}, { a: 'b' }), immutable: true } }),
  'list/limit 2': pages,
  'delete/precondition uid': create('d1'),
  'delete/invalid finalizer name': create('d3'),
  'garbage-collection/Foreground: delete owner': owned('foreground', {
    finalizers: ['example.com/hold'],
  }),
  'garbage-collection/Background: delete owner': owned('background'),
  'garbage-collection/Orphan: delete owner': owned('orphan'),
  'garbage-collection/Foreground: owner waits': pause,
  'garbage-collection/Foreground: owner afterwards': pause,
  'garbage-collection/Background: dependent afterwards': pause,
  'garbage-collection/Orphan: owner afterwards': pause,
  'namespace-deletion/delete': async (server: OpenedServer) => {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'dying' } };
    await server.ask('POST', '/api/v1/namespaces', { body });
    const inside = '/api/v1/namespaces/dying/configmaps';
    await server.ask('POST', inside, {
      body: configMap('hold', { finalizers: ['example.com/hold'] }),
    });
    await server.ask('POST', inside, { body: configMap('plain') });
  },
  'namespace-deletion/gone': pause,
  'namespace-deletion/finalize subresource': (server: OpenedServer) =>
    server.ask('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fin' } },
    }),
};

const merge = (name: string, body: unknown) => (server: OpenedServer) =>
  server.ask('PATCH', `${maps}/${name}`, { body, contentType: 'application/merge-patch+json' });

const during: Steps['during'] = {
  'watch/from resourceVersion with label selector': async (server) => {
    await create('w1', { labels: { watch: 'yes' } }, { a: '1' })(server);
    await create('w2', {}, { a: '1' })(server);
    await merge('w1', { data: { a: '2' } })(server);
    await merge('w1', { metadata: { labels: { watch: 'no' } } })(server);
    await merge('w2', { metadata: { labels: { watch: 'yes' } } })(server);
  },
  'watch/table watch': merge('w2', { data: { b: '1' } }),
  'watch/bookmarks': merge('w2', { data: { c: '1' } }),
};

/** 1.20 refused this one, so that nothing after it builds on it. */
function withoutRefused(exchange: Exchange): Exchange {
  const { id, request } = exchange;
  if (id !== 'deployment/strategic: $deleteFromPrimitiveList') return exchange;
  return { ...exchange, request: { ...request, query: { dryRun: 'All' } } };
}

const file = 'golden-1.20.json';

it('answers as kube-apiserver 1.20 recorded', async (t) => {
  const exchanges = readGolden(file);
  if (exchanges === undefined) return t.skip('the shared vectors are not there');
  const widgets = widgetSteps('t');
  const clock = new VirtualClock();
  await using server = await openServer({ clock });
  const pause = (): Promise<void> => clock.advance(100);
  const outcomes = await replay(server, exchanges.map(withoutRefused), {
    normalise,
    pause,
    before: { ...widgets.before, ...before },
    during: { ...widgets.during, ...during },
  });
  reportOutcomes(outcomes, file, (text) => t.diagnostic(text));
});
