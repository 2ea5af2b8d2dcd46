/** The contract's operator, made with what the door `fnlet/operator` offers; see README.md. */
export function sites({ operator, kind, ConfigMap, Deployment, Secret, terminal, done }) {
  const place = { group: 'example.dev', version: 'v1', plural: 'sites', scope: 'Namespaced' };
  const names = (set) => [...set].map(({ metadata }) => metadata.name);
  return operator(kind({ ...place, kind: 'Site' }), {
    owns: [ConfigMap],
    watches: [
      Secret.mapTo(({ metadata: { labels, annotations } }) => {
        if (labels?.site !== undefined) return { name: labels.site };
        const shared = { name: 'shared', namespace: 'kube-public' };
        return annotations?.shared === undefined ? undefined : [shared];
      }),
    ],
    async reconcile({ object, children, related, attempt, now, idempotencyKey, signal }) {
      const { answer, see, throw: error, terminal: end, look, count, require, wait } = object.spec;
      if (error !== undefined) throw new Error(error);
      if (end !== undefined) throw terminal(end);
      if (look) children(Deployment);
      if (count) children(ConfigMap);
      if (wait)
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      if (require !== undefined && related(Secret).get(require) === undefined) {
        return {
          require: [
            { kind: Secret, key: { name: require } },
            { kind: Secret, labels: 'app=web' },
          ],
        };
      }
      if (see) {
        const secrets = names(related(Secret));
        return {
          status: { maps: names(children(ConfigMap)), secrets, attempt, now, key: idempotencyKey },
        };
      }
      return answer;
    },
    cleanup: ({ children }) => (children(ConfigMap).size === 0 ? done() : { children: [] }),
  });
}
