import { canonicalJson, sha256 } from '@fnlet/base';
import type { FunctionSpec } from './function.ts';
import type { RevisionTemplate } from './revision-template.ts';

// Moves when the way Revisions are run changes so much that old ones must not be taken for new.
const digestVersion = 1;

/**
 * The digest of everything that a Revision freezes, in lower-case hex (64 characters): runtime,
 * handler, source, dependencies, environment, timeout, and labels and annotations of its Pods, so
 * that a Revision and its Pods never differ. Neither how it scales nor which calls it gets, and
 * whose, is part of it.
 *
 * @param environmentDigest digest of the environment with the values that Secrets and ConfigMaps
 *   have now; a changed value gives a new Revision.
 */
export function revisionDigest(template: RevisionTemplate, environmentDigest: string): string {
  return sha256(canonicalJson([digestVersion, template, environmentDigest]));
}

/** The part of a Function that its Revision keeps. */
export function revisionTemplate(spec: FunctionSpec): RevisionTemplate {
  const {
    visibility: _visibility,
    scale: _scale,
    affinity: _affinity,
    traffic: _traffic,
    session: _session,
    mirror: _mirror,
    rollout: _rollout,
    ...template
  } = spec;
  return template;
}
