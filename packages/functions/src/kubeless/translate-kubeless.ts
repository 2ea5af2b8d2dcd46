import { apiVersion, type FunctionObject, functionCrd, parseFunction } from '@fnlet/api';
import { type KubelessFunctionObject, parseKubelessFunction } from '@fnlet/api/kubeless';
import { errorMessage, hasCode, isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { compileSchema } from '@fnlet/schema';
import { idleAfterAnnotation } from '../idle-after.ts';
import { planKubelessEnvironment } from './plan-kubeless-environment.ts';
import { planKubelessScale } from './plan-kubeless-scale.ts';
import { parseKubelessHandler, planKubelessSource } from './plan-kubeless-source.ts';
import { readKubelessDeployment } from './read-kubeless-deployment.ts';

/** What a function of Kubeless is in Fnlet. */
export type KubelessTranslation =
  | {
      readonly kind: 'translated';
      /** What it asks for, as the API would have completed it. */
      readonly function: Pick<FunctionObject, 'apiVersion' | 'kind' | 'metadata' | 'spec'>;
      /** What of it has no counterpart, or works otherwise here. */
      readonly notices: readonly string[];
    }
  /** It cannot run as it is: why not, for people. */
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

type Refused = Extract<KubelessTranslation, { kind: 'refused' }>;

const schema = compileSchema(functionCrd.spec.versions[0]?.schema?.openAPIV3Schema ?? {}, {
  root: 'resource',
});

/**
 * The Function of Fnlet that does what a function of Kubeless does, or why there is none. It never
 * throws: whatever the definition of the kind lets pass is translated or refused with a reason.
 */
export function translateKubeless(object: KubeObject): KubelessTranslation {
  const read = readKubeless(object);
  if (read.kind === 'refused') return read;
  const { owner } = read;
  const { spec } = owner;
  const { handler = '', runtime = '' } = spec;
  const called = parseKubelessHandler(handler);
  if (called === undefined) {
    return refused(`handler: found "${handler}", expected module.function`);
  }
  if (runtime === '') return refused('runtime: expected the name of one, such as nodejs14');
  const deployment = readKubelessDeployment(spec.deployment);
  if (deployment.image !== undefined) {
    const image = `deployment: found image ${deployment.image}`;
    return refused(`${image}, expected none: the runtime's own program runs the code here`);
  }
  const code = planKubelessSource(spec, called);
  if (code.kind === 'refused') return code;
  const timeout = readTimeout(spec.timeout);
  if (timeout === undefined) {
    return refused(`timeout: found "${spec.timeout}", expected seconds from 1 to ${timeoutMax}`);
  }
  const idleAfter = owner.metadata.annotations?.[idleAfterAnnotation];
  const { scale, notices } = planKubelessScale(spec, {
    ...(deployment.replicas === undefined ? {} : { replicas: deployment.replicas }),
    ...(idleAfter === undefined ? {} : { idleAfter }),
  });
  const { labels: podLabels } = deployment.fields;
  // Labels of a function are its Pods', too, in Kubeless.
  const labels = { ...ownLabels(owner), ...(isJsonObject(podLabels) ? podLabels : {}) };
  const translated = {
    apiVersion,
    kind: 'Function',
    metadata: planMetadata(owner),
    spec: {
      ...deployment.fields,
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      runtime,
      handler,
      compatibility: 'kubeless',
      source: code.source,
      ...(code.dependencies === undefined ? {} : { dependencies: code.dependencies }),
      // Kubeless's npm runs them, and the packages come from who wrote the function.
      allowInstallScripts: true,
      env: planKubelessEnvironment(deployment, { called, runtime, timeout }),
      timeout: `${timeout}s`,
      scale,
    },
  };
  return checked(translated, [...deployment.notices, ...notices]);
}

/** What Fnlet's definition of a Function says to it. */
function checked(translated: JsonObject, notices: readonly string[]): KubelessTranslation {
  const { value, unknownFields } = schema.prune(translated);
  const refusals = schema.validate(value);
  if (refusals.length > 0) {
    return refused(...refusals.map(({ field, message }) => `${field}: ${message}`));
  }
  const dropped = unknownFields.map((field) => `deployment: ${field} has no counterpart`);
  return { kind: 'translated', function: parseFunction(value), notices: [...notices, ...dropped] };
}

type Read = { readonly kind: 'read'; readonly owner: KubelessFunctionObject } | Refused;

function readKubeless(object: KubeObject): Read {
  try {
    return { kind: 'read', owner: parseKubelessFunction(object) };
  } catch (error) {
    if (!hasCode(error, 'UnexpectedShape')) throw error;
    return refused(errorMessage(error));
  }
}

function refused(...reasons: readonly string[]): Refused {
  return { kind: 'refused', reasons };
}

function planMetadata(owner: KubelessFunctionObject): JsonObject {
  const { name, namespace } = owner.metadata;
  const labels = ownLabels(owner);
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
  };
}

function ownLabels({ metadata }: KubelessFunctionObject): Record<string, string> | undefined {
  const labels = Object.entries(metadata.labels ?? {});
  const own = labels.filter(([key]) => !key.startsWith('fnlet.dev/'));
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

const timeoutDefault = 180;
const timeoutMax = 3600;

function readTimeout(timeout: string | number | undefined): number | undefined {
  if (timeout === undefined || timeout === '') return timeoutDefault;
  const seconds = Number(timeout);
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= timeoutMax ? seconds : undefined;
}
