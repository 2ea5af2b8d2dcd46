/** Where an installation keeps artifacts, as its Deployment says. */
import { isJsonObject } from '@fnlet/base';
import type { Finding } from './finding.ts';

export type ArtifactsPlace =
  | { readonly kind: 'volume' }
  | { readonly kind: 'pod' }
  | {
      readonly kind: 'bucket';
      readonly location: string;
      /** The Secret with its credentials, and what that has; `undefined`: there is none. */
      readonly secret: string;
      readonly keys: readonly string[] | undefined;
    };

/** The names of what a bucket is opened with. */
export const bucketKeys: readonly string[] = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

/** What a Deployment says of the bucket; `undefined`: that there is none. */
export function findBucket(
  deployment: unknown,
): { readonly location: string; readonly secret: string } | undefined {
  const variables = list(member(containerOf(deployment), 'env'));
  const named = (name: string): unknown => variables.find((each) => member(each, 'name') === name);
  const location = member(named('FNLET_ARTIFACTS_BUCKET'), 'value');
  if (typeof location !== 'string') return undefined;
  const [key = ''] = bucketKeys;
  const secret = member(member(member(named(key), 'valueFrom'), 'secretKeyRef'), 'name');
  return { location, secret: typeof secret === 'string' ? secret : '' };
}

/** Whether artifacts are in a volume, or in the Pod that is lost with them. */
export function findArtifactsVolume(deployment: unknown): ArtifactsPlace {
  const pod = podOf(deployment);
  const isKept = list(member(pod, 'volumes')).some(
    (volume) =>
      member(volume, 'name') === 'artifacts' &&
      member(volume, 'persistentVolumeClaim') !== undefined,
  );
  return { kind: isKept ? 'volume' : 'pod' };
}

/** What `fnlet doctor` says about it; nothing where nothing is installed. */
export function judgeArtifactsPlace(place: ArtifactsPlace | undefined): readonly Finding[] {
  const check = 'artifacts';
  if (place === undefined) return [];
  if (place.kind === 'volume') {
    return [{ check, state: 'ok', found: 'kept in the volume of the controller' }];
  }
  if (place.kind === 'pod') {
    const found = 'kept in the Pod of the controller, and made again after it';
    return [{ check, state: 'ok', found }];
  }
  const { location, secret, keys } = place;
  const missing = bucketKeys.filter((key) => keys?.includes(key) !== true);
  if (missing.length === 0) return [{ check, state: 'ok', found: `kept in ${location}` }];
  const found =
    keys === undefined
      ? `no Secret "${secret}" for ${location}`
      : `no ${missing.join(' and no ')} in the Secret "${secret}"`;
  const remedy = `Make it with ${bucketKeys.join(' and ')}: the controller does not start without`;
  return [{ check, state: 'fail', found, remedy }];
}

function podOf(deployment: unknown): unknown {
  return member(member(member(deployment, 'spec'), 'template'), 'spec');
}

function containerOf(deployment: unknown): unknown {
  return list(member(podOf(deployment), 'containers'))[0];
}

function member(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
