/**
 * A WebSite is a page that some Pods serve: a ConfigMap with the page, a Deployment that serves it,
 * a Service in front. Try it: `node website.ts`, or `npx fnlet operator run website.ts`; then
 * `kubectl apply -f site.yaml`.
 */
import {
  ConfigMap,
  Deployment,
  defineKind,
  field,
  type ObjectOf,
  operator,
  progressing,
  ready,
  run,
  Service,
} from 'fnlet/operator';

export const WebSite = defineKind({
  group: 'example.dev',
  version: 'v1',
  kind: 'WebSite',
  shortNames: ['ws'],
  description: 'A WebSite is a page that some Pods serve.',
  spec: {
    html: field.text('The page.', { maxLength: 65_536 }),
    replicas: field.integer('How many Pods serve it.', { default: 1, minimum: 0, maximum: 100 }),
  },
  status: { url: field.text('Where it is reached inside the cluster.') },
  columns: { Replicas: { path: '.spec.replicas', type: 'integer' }, URL: '.status.url' },
});
type WebSite = ObjectOf<typeof WebSite>;

const webSites = operator(WebSite, {
  owns: [ConfigMap, Deployment.keep('status.readyReplicas'), Service],
  reconcile({ object, children }) {
    const { name, namespace } = object.metadata;
    const serving = children(Deployment).get(name)?.status?.readyReplicas ?? 0;
    const { replicas } = object.spec;
    return {
      children: [page(object), deployment(object), service(object)],
      status: { url: `http://${name}.${namespace}.svc` },
      conditions: [
        serving >= replicas
          ? ready(`${replicas} of ${replicas} Pods serve the page.`)
          : progressing('Starting', `${serving} of ${replicas} Pods serve the page.`),
      ],
    };
  },
});
export default webSites;

// As a program it runs itself: node website.ts
if (import.meta.main) await run(webSites);

function page({ metadata: { name }, spec }: WebSite) {
  return ConfigMap.of({ metadata: { name }, data: { 'index.html': spec.html } });
}

function deployment({ metadata: { name }, spec }: WebSite) {
  const labels = { 'example.dev/site': name };
  const serve =
    "require('node:http').createServer((_, answer) => answer.setHeader('content-type', 'text/html')" +
    ".end(require('node:fs').readFileSync('/page/index.html'))).listen(8080, process.env.POD_IP)";
  return Deployment.of({
    metadata: { name, labels },
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'web',
              image: 'node:24-slim',
              command: ['node', '-e', serve],
              // Its own address only: embedded, the Pods are processes of one machine.
              env: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
              ports: [{ containerPort: 8080 }],
              readinessProbe: { httpGet: { path: '/', port: 8080 } },
              volumeMounts: [{ name: 'page', mountPath: '/page' }],
            },
          ],
          volumes: [{ name: 'page', configMap: { name } }],
        },
      },
    },
  });
}

function service({ metadata: { name } }: WebSite) {
  return Service.of({
    metadata: { name },
    spec: { selector: { 'example.dev/site': name }, ports: [{ port: 80, targetPort: 8080 }] },
  });
}
