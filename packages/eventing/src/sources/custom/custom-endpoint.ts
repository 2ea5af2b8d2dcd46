/** What the endpoint of a custom source is known by; those of routes have other names. */
export function customEndpoint(namespace: string, name: string): string {
  return `custom:${namespace}/${name}`;
}
