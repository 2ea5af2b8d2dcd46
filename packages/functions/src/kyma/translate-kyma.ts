import {
  apiVersion,
  defaultScale,
  type EnvVar,
  type FunctionObject,
  type FunctionSpec,
  functionCrd,
} from '@fnlet/api';
import type { KymaFunctionObject } from '@fnlet/api/kyma';
import type { KubeObject } from '@fnlet/machinery';
import { compileSchema } from '@fnlet/schema';
import { describeErrors } from '../describe-errors.ts';
import { idleAfterAnnotation } from '../idle-after.ts';
import { readScaleAnnotation, scaleAnnotation } from '../scale-annotation.ts';
import { checkKymaFunction } from './check-kyma-function.ts';
import { planKymaEnvironment } from './plan-kyma-environment.ts';
import { planKymaNotices } from './plan-kyma-notices.ts';
import { planKymaResources } from './plan-kyma-resources.ts';
import { planKymaSource } from './plan-kyma-source.ts';
import { readKyma } from './read-kyma.ts';

/** What a Kyma Function is in Fnlet. */
export type KymaTranslation =
  | {
      readonly kind: 'translated';
      /** What it asks for, as the API would have completed it. */
      readonly function: Pick<FunctionObject, 'apiVersion' | 'kind' | 'metadata' | 'spec'>;
      /** The preset of its resources, or `custom`. */
      readonly profile: string;
      /** What of it has no counterpart, or works otherwise here. */
      readonly notices: readonly string[];
    }
  /** It cannot run as it is: why not, for people. */
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

const schema = compileSchema(functionCrd.spec.versions[0]?.schema?.openAPIV3Schema ?? {}, {
  root: 'resource',
});

/**
 * The Function of Fnlet that does what a Kyma Function does, or why there is none. It never throws:
 * whatever the definition of the kind lets pass is translated or refused with a reason.
 */
export function translateKyma(object: KubeObject): KymaTranslation {
  const read = readKyma(object);
  if (read.kind === 'refused') return read;
  const { owner } = read;
  const reasons = checkKymaFunction(owner);
  if (reasons.length > 0) return { kind: 'refused', reasons };
  const environment = planKymaEnvironment(owner);
  const scale = planScale(owner);
  const { resources, profile, notices } = planKymaResources(owner.spec);
  const spec: FunctionSpec = {
    runtime: owner.spec.runtime,
    handler: 'handler.main',
    compatibility: 'kyma',
    ...planKymaSource(owner.spec),
    // Kyma's npm runs them, and the packages come from who wrote the function.
    allowInstallScripts: true,
    env: environment.env,
    ...planMounts(owner),
    resources,
    timeout: planTimeout(environment.env),
    labels: { 'app.kubernetes.io/name': owner.metadata.name, ...owner.spec.labels },
    annotations: { 'sidecar.istio.io/nativeSidecar': 'true', ...owner.spec.annotations },
    scale,
  };
  const translated = { apiVersion, kind: 'Function', metadata: planMetadata(owner), spec };
  const refusals = describeErrors(schema.validate(translated));
  if (refusals.length > 0) return { kind: 'refused', reasons: refusals };
  const all = [...environment.notices, ...notices, ...planKymaNotices(owner)];
  return { kind: 'translated', function: translated, profile, notices: all };
}

function planMetadata({ metadata }: KymaFunctionObject): FunctionObject['metadata'] {
  const { name, namespace, labels = {} } = metadata;
  const own = Object.entries(labels).filter(([key]) => !key.startsWith('fnlet.dev/'));
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(own.length === 0 ? {} : { labels: Object.fromEntries(own) }),
  };
}

/**
 * As many Instances as there are replicas, whoever sets them. Where Kyma has none and answers
 * nobody, with `replicas: 0`, the function sleeps until it is called.
 */
function planScale({ metadata, spec: { replicas } }: KymaFunctionObject): FunctionSpec['scale'] {
  const own = readScaleAnnotation(metadata.annotations?.[scaleAnnotation]);
  if (own !== undefined) return { ...defaultScale, ...own };
  const idleAfter = metadata.annotations?.[idleAfterAnnotation];
  const maySleep = replicas === 0 || idleAfter !== undefined;
  return {
    ...defaultScale,
    min: maySleep ? 0 : replicas,
    max: Math.max(1, replicas),
    ...(idleAfter === undefined ? {} : { idleAfter }),
  };
}

function planMounts({ spec }: KymaFunctionObject): Pick<FunctionSpec, 'mounts'> {
  const { secretMounts = [] } = spec;
  if (secretMounts.length === 0) return {};
  const mounts = secretMounts.map(({ secretName, mountPath }) => ({
    secret: secretName,
    path: absolutePath(mountPath),
    defaultMode: 0o666,
    // Kyma's Pod waits for a Secret that is not there; so does the Function.
    optional: false,
  }));
  return { mounts };
}

function absolutePath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  return `/${parts.join('/')}`;
}

const defaultTimeoutSeconds = 180;
const timeoutSecondsMax = 3_600;

/** What FUNC_TIMEOUT says, within what Fnlet allows. */
function planTimeout(env: readonly EnvVar[]): string {
  const asked = Number(env.find(({ name }) => name === 'FUNC_TIMEOUT')?.value);
  const seconds = asked > 0 ? Math.min(asked, timeoutSecondsMax) : defaultTimeoutSeconds;
  const ms = Math.max(1, Math.round(seconds * 1_000));
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}
