import type { KubernetesState } from './kubernetes-state.ts';
import type { RevisionLoader } from './revision-loader.ts';
import { plainDigest } from './source/remote-source.ts';

type Known = Pick<KubernetesState, 'functions' | 'revisions'>;

/** The uploads that a source refers to. */
export function uploadsInUse({ functions, revisions }: Known): ReadonlySet<string> {
  const named = [...functions.list(), ...revisions.list()].flatMap(({ metadata, spec }) => {
    const { artifact } = spec.source;
    return artifact === undefined ? [] : [`${metadata.namespace}/${plainDigest(artifact)}`];
  });
  return new Set(named);
}

/** Digests of the artifacts that Revisions run, or ran; `undefined` while some are being made. */
export function artifactsInUse(
  { revisions }: Known,
  loader: Pick<RevisionLoader, 'artifacts'>,
): ReadonlySet<string> | undefined {
  const loaded = loader.artifacts();
  if (loaded === undefined) return undefined;
  return new Set([...loaded, ...revisions.list().flatMap(({ status }) => status?.artifact ?? [])]);
}
