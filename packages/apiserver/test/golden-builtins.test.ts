import { it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { normalise } from './golden-form.ts';
import { type Exchange, readGolden, replay, reportOutcomes } from './golden-replay.ts';
import { type OpenedServer, openServer } from './opened-server.ts';

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
    const { uid } = body.metadata;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: `own-${policy}`, uid };
    const reference = policy === 'foreground' ? { ...owner, blockOwnerDeletion: true } : owner;
    await create(`dep-${policy}`, { ownerReferences: [reference], ...rest })(server);
  };
}

// What 1.20 refused ahead of this exchange has annotated the Deployment here.
const unannotate = (server: OpenedServer): Promise<unknown> =>
  server.ask('PATCH', '/apis/apps/v1/namespaces/t/deployments/web', {
    body: { metadata: { annotations: { x: null } } },
    contentType: 'application/merge-patch+json',
  });

/** What must be there before an exchange; `pause` lets the controllers do their work. */
const before = (pause: () => Promise<void>) => ({
  'deployment/strategic: missing merge key': unannotate,
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
});

const sections =
  /^(namespaces|configmap-\w+|secret|deployment|delete|garbage-collection|namespace-deletion|access|kinds)\/|^list\//;

function inScope({ id }: Exchange): boolean {
  return sections.test(id);
}

const reasons: Readonly<Record<string, readonly string[]>> = {
  'annotations are no part of what the generation of a Deployment counts': [
    'deployment/metadata change does not bump generation',
    'deployment/status patch',
    'deployment/get',
    'deployment/table',
    'deployment/table with object',
    'deployment/partial metadata',
    'deployment/partial metadata list',
  ],
  'a patch puts new items of a list after the old ones': [
    'deployment/strategic: merge container and env by name',
  ],
  'nothing here binds claims to volumes, so nothing protects them': [
    'kinds/PersistentVolumeClaim: create',
    'kinds/PersistentVolumeClaim: table',
  ],
  'a version that Kubernetes has removed': [
    'kinds/CronJob v1beta1: create',
    'kinds/CronJob v1beta1: table',
    'kinds/PodDisruptionBudget v1beta1: create',
    'kinds/PodDisruptionBudget v1beta1: table',
    'kinds/EndpointSlice v1beta1: create',
    'kinds/EndpointSlice v1beta1: table',
    'kinds/deprecated API warning',
  ],
  'nothing places Pods on nodes here, nor fills in their addresses': [
    'kinds/Pod: status patch',
    'kinds/Pod: graceful delete',
    'kinds/Pod: second delete with grace 0',
  ],
  'the list shows what only this server has, or the time of it': [
    'namespaces/list by field status.phase',
    'configmap-crud/list',
    'list/unfiltered limit 1',
    'list/resourceVersion 0',
    'namespace-deletion/contents',
    'namespace-deletion/release',
  ],
  'Kubernetes has changed since 1.20': [
    'deployment/invalid: several',
    'deployment/strategic: $deleteFromPrimitiveList',
    'deployment/strategic: missing merge key',
    'deployment/apply: conflict after scale',
    'deployment/apply: give up replicas',
    'deployment/apply: duplicate container names',
    'kinds/Job: create',
    'kinds/Job: table',
    'kinds/StatefulSet: create',
    'kinds/StatefulSet: table',
    'kinds/DaemonSet: create',
    'kinds/DaemonSet: table',
    'kinds/HorizontalPodAutoscaler: create',
    'kinds/HorizontalPodAutoscaler: table',
    'kinds/ResourceQuota: table',
    'configmap-patch/merge: no change',
    'configmap-patch/json: escaped path',
    'configmap-patch/strategic',
    'configmap-patch/dryRun',
    'configmap-apply/client-side then server-side: other manager conflicts',
    'kinds/Pod: table',
    'kinds/Service: table',
    'kinds/Pod: by status.phase',
    'secret/bad base64',
    'configmap-apply/wrong type',
    'namespaces/create',
    'namespaces/get',
    'namespaces/list by label',
    'namespaces/table',
    'namespaces/patch labels',
    'namespaces/status put',
    'namespace-deletion/delete',
    'namespace-deletion/terminating',
    'namespace-deletion/delete again',
    'namespace-deletion/finalize subresource',
    'configmap-crud/unknown fields dropped',
    'configmap-crud/not acceptable',
    'configmap-crud/bad dryRun',
    'configmap-crud/fieldManager too long',
    'configmap-crud/fieldManager unprintable',
    'configmap-crud/wrong apiVersion',
    'configmap-patch/json: unknown op',
    'configmap-patch/json: not an array',
    'configmap-patch/merge: malformed',
    'configmap-patch/strategic: malformed',
    'configmap-patch/unknown patch type',
    'configmap-apply/no kind',
    'configmap-apply/unknown field',
    'kinds/Pod: create',
    'kinds/Service headless: create',
    'kinds/Service headless: table',
    'kinds/Service: create',
    'kinds/Event: create',
    'kinds/Event: table',
    'kinds/Event: by involvedObject',
    'kinds/Service: immutable clusterIP',
    'kinds/Pod: spec immutable',
    'list/resourceVersion malformed',
    'list/resourceVersionMatch on watch',
    'list/labelSelector malformed: bad key',
    'list/labelSelector malformed: bad value',
    'list/labelSelector malformed: gt not a number',
    'delete/wrong options kind',
    'delete/ownerReference without uid',
    'garbage-collection/Foreground: dependent is being deleted',
    'garbage-collection/Foreground: release dependent',
    'access/SelfSubjectAccessReview',
    'kinds/RoleBinding: create',
    'kinds/RoleBinding: table',
    'kinds/Role: roleRef immutable',
    'access/SelfSubjectRulesReview',
  ],
  'the answer to a question has no managedFields here': [
    'access/SubjectAccessReview allowed by role',
    'access/SubjectAccessReview denied',
    'access/TokenReview invalid',
  ],
  'the text shows Go types, or the order of keys': [
    'deployment/invalid: empty spec',
    'deployment/invalid: wrong type',
    'deployment/invalid: selector changed',
    'deployment/apply: invalid object',
    'kinds/Job: template immutable',
    'configmap-crud/get yaml',
    'configmap-crud/wrong field type',
    'configmap-crud/put: wrong uid',
    'configmap-patch/merge: wrong type',
    'configmap-apply/malformed yaml',
    'delete/two controllers',
  ],
  'empty maps are kept': ['configmap-crud/uid set is ignored or kept'],
  'answers are never in protobuf': ['deployment/unsupported table version'],
};

it('answers as kube-apiserver 1.20 recorded for builtin kinds', async (t) => {
  const exchanges = readGolden('golden-1.20.json');
  if (exchanges === undefined) return t.skip('the shared vectors are not there');
  const clock = new VirtualClock();
  await using server = await openServer({ clock });
  const pause = (): Promise<void> => clock.advance(100);
  const outcomes = await replay(server, exchanges.filter(inScope), {
    normalise,
    pause,
    before: before(pause),
  });
  const known = new Map(
    Object.entries(reasons).flatMap(([why, ids]) => ids.map((id) => [id, why])),
  );
  reportOutcomes(outcomes, known, (text) => t.diagnostic(text));
});
