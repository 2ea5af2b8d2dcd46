import { canonicalJson, sha256 } from '@fnlet/base';
import { templateHashLabel } from './deployment.ts';
import type { PodTemplate } from './pod.ts';

// As in names that Kubernetes makes: no vowels, and nothing that looks like something else.
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A short name for a template; another one for every collision with a name that is taken. */
export function podTemplateHash(template: PodTemplate, collisions: number): string {
  const digest = sha256(canonicalJson([withoutHash(template), collisions]));
  const bytes = Buffer.from(digest, 'hex').subarray(0, 10);
  return [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('');
}

/** The template as its Deployment has it. */
export function withoutHash(template: PodTemplate): PodTemplate {
  const { metadata = {}, spec } = template;
  const { [templateHashLabel]: _hash, ...labels } = metadata.labels ?? {};
  return { metadata: { ...metadata, labels }, spec };
}

/** The template of the ReplicaSet with this hash. */
export function withHash(template: PodTemplate, hash: string): PodTemplate {
  const { metadata = {}, spec } = template;
  return {
    metadata: { ...metadata, labels: { ...metadata.labels, [templateHashLabel]: hash } },
    spec,
  };
}
