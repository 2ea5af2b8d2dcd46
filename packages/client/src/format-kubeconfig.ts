export interface FormatKubeconfigOptions {
  /** Names the cluster, the user and the context. */
  readonly name: string;
  /** The API's URL. */
  readonly server: string;
  /** The CA that signed the server's certificate, as PEM. */
  readonly caPem: string;
  readonly token: string;
}

/**
 * The text of a kubeconfig with one context, which is current. It holds the token: write it with
 * mode 0600.
 */
export function formatKubeconfig(options: FormatKubeconfigOptions): string {
  // JSON strings are YAML strings, so nothing in them can break out. Large lists are not compressed:
  // on one machine that only costs time.
  const [name, server, token] = [options.name, options.server, options.token].map((text) =>
    JSON.stringify(text),
  );
  return `apiVersion: v1
kind: Config
current-context: ${name}
clusters:
- name: ${name}
  cluster:
    server: ${server}
    certificate-authority-data: ${Buffer.from(options.caPem).toString('base64')}
    disable-compression: true
users:
- name: ${name}
  user:
    token: ${token}
contexts:
- name: ${name}
  context:
    cluster: ${name}
    user: ${name}
    namespace: default
`;
}
