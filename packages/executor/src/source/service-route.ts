import { ArtifactError } from '../artifact-error.ts';

/** Where somebody listens. */
export interface NetworkPlace {
  /** A name or an address; one of IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** What the name of a Service leads to. */
export type ServiceRoute =
  | { readonly kind: 'place'; readonly place: NetworkPlace }
  /** There is such a Service, and nobody answers for it: why. */
  | { readonly kind: 'nobody'; readonly message: string };

/**
 * Finds what connects to this place as a Pod would: `undefined` where its host is no Service, so
 * that it is the machine's resolver's.
 */
export type FindService = (
  asked: NetworkPlace,
  signal: AbortSignal,
) => Promise<ServiceRoute | undefined>;

/** A Service that nobody answers for now. */
export function nobodyAnswers(url: string, why: string): ArtifactError {
  const message = `Cannot reach "${url}": found that ${why}, expected somebody who answers`;
  return new ArtifactError('SourceUnreachable', message, {
    retry: 'later',
    remedy: 'Look at the Service and its endpoints: kubectl get service,endpointslices.',
  });
}
