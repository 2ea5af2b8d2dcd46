import type { KymaFunctionObject } from '@fnlet/api/kyma';
import { readScaleAnnotation, scaleAnnotation } from '../scale-annotation.ts';

/** Runtimes that Kyma has announced the end of, or ended; the nearest that there is runs them. */
const retiredRuntimes = /^(nodejs(6|8|10|12|14|16|18|20)|python3[89])$/;

/** What Kyma says of a runtime that is on its way out; `undefined` for any other. */
export function runtimeWarning(runtime: string): string | undefined {
  if (!retiredRuntimes.test(runtime)) return undefined;
  return `Warning: function configured, runtime ${runtime} is deprecated and will be removed in the future`;
}

/** The parts of a Kyma Function that have no effect, or another one than in Kyma. */
export function planKymaNotices({ metadata, spec }: KymaFunctionObject): readonly string[] {
  const { runtimeImageOverride, scaleConfig, resourceConfiguration, replicas, env = [] } = spec;
  const timeout = env.findLast(({ name }) => name === 'FUNC_TIMEOUT');
  const notices: readonly (readonly [boolean, string])[] = [
    [
      runtimeImageOverride !== undefined && runtimeImageOverride !== '',
      `runtimeImageOverride: ${runtimeImageOverride} is not run; runtime ${spec.runtime} is`,
    ],
    [scaleConfig !== undefined, 'scaleConfig: has no effect, in Kyma neither'],
    [
      resourceConfiguration?.build !== undefined,
      'resourceConfiguration.build: has no effect, in Kyma neither',
    ],
    [
      spec.podSecurityContext !== undefined,
      'podSecurityContext: has no effect where Instances are processes',
    ],
    [
      spec.containerSecurityContext !== undefined,
      'containerSecurityContext: has no effect where Instances are processes',
    ],
    [
      replicas === 0,
      'replicas: with 0 the function sleeps until it is called; in Kyma nobody answers then',
    ],
    [
      timeout?.valueFrom !== undefined,
      'env FUNC_TIMEOUT: its value is not known here, so that a call may take 180 s at most',
    ],
    [
      isUnreadable(metadata.annotations?.[scaleAnnotation]),
      `metadata.annotations: ${scaleAnnotation} is no object of JSON, and is left out`,
    ],
    [
      Object.keys(metadata.labels ?? {}).some((key) => key.startsWith('fnlet.dev/')),
      'metadata.labels: those with the prefix fnlet.dev/ are left out',
    ],
  ];
  return notices.flatMap(([holds, text]) => (holds ? [text] : []));
}

function isUnreadable(scale: string | undefined): boolean {
  return scale !== undefined && readScaleAnnotation(scale) === undefined;
}
