/** The children of a WebSite, each as it is wanted. */
import { ConfigMap, Deployment, Service } from 'fnlet/operator';

export function page(name: string, html: string) {
  return ConfigMap.of({ metadata: { name }, data: { 'index.html': html } });
}

export function deployment(name: string, replicas: number) {
  const labels = { 'example.dev/site': name };
  const serve =
    "require('node:http').createServer((_, answer) => answer.setHeader('content-type', 'text/html')" +
    ".end(require('node:fs').readFileSync('/page/index.html'))).listen(8080, process.env.POD_IP)";
  return Deployment.of({
    metadata: { name, labels },
    spec: {
      replicas,
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

export function service(name: string) {
  return Service.of({
    metadata: { name },
    spec: { selector: { 'example.dev/site': name }, ports: [{ port: 80, targetPort: 8080 }] },
  });
}
