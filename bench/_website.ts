/** The operator that is measured: for each WebSite a ConfigMap, a Deployment and a Service. */
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import {
  ConfigMap,
  Deployment,
  defineKind,
  field,
  type Operator,
  operator,
  ready,
  Service,
} from '@fnlet/sdk/operator';

const WebSite = defineKind({
  group: 'example.dev',
  version: 'v1',
  kind: 'WebSite',
  description: 'A WebSite is a page that some Pods serve.',
  spec: {
    html: field.text('The page.'),
    replicas: field.integer('How many Pods serve it.', { default: 1 }),
  },
  status: { url: field.text('Where it is reached inside the cluster.') },
});

export const siteDefinition: KubeObject = { ...WebSite.crd };

export const siteType: ResourceType = {
  group: WebSite.group,
  version: WebSite.version,
  kind: WebSite.kind,
  plural: WebSite.plural,
  namespaced: true,
};

/** The n-th site; another revision has another page. */
export function site(n: number, revision = 0): KubeObject {
  const metadata = { name: `site-${n}`, namespace: 'default' };
  const spec = { html: `<h1>Site ${n}</h1><p>${revision}</p>`, replicas: 1 };
  return { ...WebSite.of({ metadata, spec }) };
}

export const siteOperator: Operator = operator(WebSite, {
  owns: [ConfigMap, Deployment, Service],
  reconcile({ object }) {
    const { name, namespace } = object.metadata;
    const { html, replicas } = object.spec;
    const labels = { 'example.dev/site': name };
    const container = {
      name: 'web',
      image: 'node:24-slim',
      command: ['node', '/page/serve.js'],
      ports: [{ containerPort: 8080 }],
      volumeMounts: [{ name: 'page', mountPath: '/page' }],
    };
    const volumes = [{ name: 'page', configMap: { name } }];
    const template = { metadata: { labels }, spec: { containers: [container], volumes } };
    return {
      children: [
        ConfigMap.of({ metadata: { name }, data: { 'index.html': html } }),
        Deployment.of({
          metadata: { name, labels },
          spec: { replicas, selector: { matchLabels: labels }, template },
        }),
        Service.of({
          metadata: { name },
          spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
        }),
      ],
      status: { url: `http://${name}.${namespace}.svc` },
      conditions: [ready(`${replicas} Pods serve the page.`)],
    };
  },
});
