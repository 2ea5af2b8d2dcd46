/** A Service, and where one Pod of it is meant, `<pod>.<service>`. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

const label = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const cluster = '\\.svc(?:\\.cluster\\.local)?';
const ofService = new RegExp(`^(${label})\\.(${label})(?:${cluster})?\\.?$`);
const ofOnePod = new RegExp(`^(${label}\\.${label})\\.(${label})${cluster}\\.?$`);

/**
 * The Service that a host may mean to somebody who is in no namespace: it has to name one.
 * `undefined` for what cannot be the name of a Service.
 */
export function readServiceHost(host: string): ServiceName | undefined {
  const lower = host.toLowerCase();
  const [, name = '', namespace = ''] = ofService.exec(lower) ?? ofOnePod.exec(lower) ?? [];
  // No name of a Service begins with a digit (RFC 1035), and an address does.
  return name === '' || /^\d/.test(name) ? undefined : { namespace, name };
}
