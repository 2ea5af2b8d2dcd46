/**
 * A WebSite is a page that some Pods serve: a ConfigMap with the page, a Deployment that serves it,
 * a Service in front. Try it: `npx fnlet operator deploy website.ts`, which lets it sleep, or in a
 * process of its own `node website.ts`; then `kubectl apply -f site.yaml`.
 */
import {
  ConfigMap,
  Deployment,
  defineKind,
  field,
  operator,
  progressing,
  ready,
  run,
  Service,
} from 'fnlet/operator';
import { deployment, page, service } from './website-children.ts';

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

const webSites = operator(WebSite, {
  owns: [ConfigMap, Deployment.keep('status.readyReplicas'), Service],
  reconcile({ object, children }) {
    const { name, namespace } = object.metadata;
    const serving = children(Deployment).get(name)?.status?.readyReplicas ?? 0;
    const { html, replicas } = object.spec;
    return {
      children: [page(name, html), deployment(name, replicas), service(name)],
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
