/** A Function manifest as JSON text, which kubectl and the API read as well as YAML. */
export function functionManifest(name: string, spec: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Function',
    metadata: { name, namespace: 'default' },
    spec: { runtime: 'nodejs24', ...spec },
  });
}
