import type { JsonObject } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import { givenPort, givenPortNumber, headerName } from '../form.ts';
import { forbidden, missing } from '../refusal.ts';
import {
  about,
  all,
  atLeast,
  child,
  fields,
  isUnset,
  must,
  oneOf,
  type Rule,
  required,
  whenSet,
} from '../rule.ts';

// core/v1 Probe and Lifecycle: what is done to a container, and when.

const httpHeaders: Rule = (value, path) =>
  Array.isArray(value) ? value.flatMap((header) => headerName(header?.name ?? '', path)) : [];

const actions: Readonly<Record<string, Rule>> = {
  exec: fields({ command: required() }),
  httpGet: fields({
    path: required(),
    port: givenPort,
    scheme: oneOf('HTTP', 'HTTPS'),
    httpHeaders,
  }),
  tcpSocket: fields({ port: givenPort }),
  grpc: fields({ port: givenPortNumber }),
  sleep: fields({ seconds: atLeast(0) }),
};

/** Exactly one of these actions; what comes after the first is not looked at. */
function oneAction(...names: readonly string[]): Rule {
  return about((handler, path) => {
    const [first, ...others] = names.filter((name) => !isUnset(handler[name]));
    if (first === undefined) return [missing(path, 'must specify a handler type')];
    return [
      ...(actions[first]?.(handler[first], child(path, first)) ?? []),
      ...others.map((name) =>
        forbidden(child(path, name), 'may not specify more than 1 handler type'),
      ),
    ];
  });
}

const hook = whenSet(oneAction('exec', 'httpGet', 'tcpSocket', 'sleep'));

/** What happens when a container starts and stops. */
export const lifecycle: Rule = whenSet(fields({ postStart: hook, preStop: hook }));

const timing = {
  initialDelaySeconds: atLeast(0),
  timeoutSeconds: atLeast(0),
  periodSeconds: atLeast(0),
  successThreshold: atLeast(0),
  failureThreshold: atLeast(0),
};

/** A probe, with the rules for its own kind. */
function probe(more: Readonly<Record<string, Rule>>): Rule {
  return whenSet(
    all(oneAction('exec', 'httpGet', 'tcpSocket', 'grpc'), fields(timing), fields(more)),
  );
}

const once: Rule = must((value) => value === 1, 'must be 1');
const ownGrace: Rule = must(
  (value) => typeof value !== 'number' || value > 0,
  'must be greater than 0',
);

/** A liveness or startup probe: one success is enough, and it may say how long stopping takes. */
export const restartingProbe: Rule = probe({
  terminationGracePeriodSeconds: ownGrace,
  successThreshold: once,
});

/** A readiness probe: it stops nothing. */
export const readinessProbe: Rule = probe({
  terminationGracePeriodSeconds: must(() => false, 'must not be set for readinessProbes'),
});

/** Why none of a container's probes and hooks may be there; nothing when none is. */
export function withoutProbes(container: JsonObject, path: string, why: string): FieldError[] {
  return ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']
    .filter((name) => !isUnset(container[name]))
    .map((name) => forbidden(child(path, name), why));
}
