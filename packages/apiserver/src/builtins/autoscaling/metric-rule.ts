import { objectField } from '../../object/object-form.ts';
import { named, positiveQuantity } from '../form.ts';
import { labelSelector } from '../label-selector-rule.ts';
import { containerResourceName } from '../pod/resource-rule.ts';
import { forbidden, invalid, missing, notSupported } from '../refusal.ts';
import { about, all, always, child, fields, isUnset, must, type Rule, required } from '../rule.ts';

// autoscaling/v2 MetricSpec: what a HorizontalPodAutoscaler goes by.

const types = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];

const target: Rule = all(
  fields({ type: required(undefined, 'must specify a metric target type') }),
  fields({
    type: always(
      '',
      (type) => type === 'Utilization' || type === 'Value' || type === 'AverageValue',
      'must be either Utilization, Value, or AverageValue',
    ),
    value: positive,
    averageValue: positive,
    averageUtilization: must((value) => Number(value) >= 1, 'must be greater than 0'),
  }),
);

function positive(value: unknown, path: string): ReturnType<Rule> {
  return positiveQuantity(value, path).length === 0
    ? []
    : [invalid(path, value, 'must be positive')];
}

const metric: Rule = fields({
  name: required(named('pathSegment'), 'must specify a metric name'),
  selector: labelSelector,
});

/** The target has one of two numbers; `both` tells why not both, where that is refused. */
function eitherNumber(a: string, b: string, texts: { why: string; both?: string }): Rule {
  return about((source, path) => {
    const at = child(path, 'target');
    const given = [a, b].filter((name) => !isUnset(objectField(source, 'target')[name]));
    if (given.length === 0) return [missing(child(at, a), texts.why)];
    return given.length === 2 && texts.both !== undefined
      ? [forbidden(child(at, b), texts.both)]
      : [];
  });
}

const utilization = eitherNumber('averageUtilization', 'averageValue', {
  why: 'must set either a target raw value or a target utilization',
  both: 'may not set both a target raw value and a target utilization',
});

/** The reference to an object of any version. */
export const objectReference: Rule = fields({
  kind: required(named('pathSegment')),
  name: required(named('pathSegment')),
});

/** The reference to what is scaled: of a group, for the core group has nothing to scale but one. */
export const scaledReference: Rule = all(
  objectReference,
  about(({ apiVersion, kind }, path) => {
    const text = String(apiVersion ?? '');
    const at = child(path, 'apiVersion');
    const parts = text.split('/');
    if (parts.length > 2) return [invalid(at, text, `unexpected GroupVersion string: ${text}`)];
    if (parts.length === 2 || kind === 'ReplicationController') return [];
    return [invalid(at, text, 'apiVersion must specify API group')];
  }),
);

/** The sources by the field that each stands in. */
const sources: Readonly<Record<string, Rule>> = {
  object: all(
    fields({ describedObject: objectReference, metric, target }),
    eitherNumber('averageValue', 'value', {
      why: 'must set either a target value or averageValue',
    }),
  ),
  external: all(
    fields({ metric, target }),
    eitherNumber('averageValue', 'value', {
      why: 'must set either a target value for metric or a per-pod target',
      both: 'may not set both a target value for metric and a per-pod target',
    }),
  ),
  pods: all(
    fields({ metric, target }),
    fields({
      target: fields({
        averageValue: required(undefined, 'must specify a positive target averageValue'),
      }),
    }),
  ),
  resource: all(
    fields({ name: required(undefined, 'must specify a resource name'), target }),
    utilization,
  ),
  containerResource: all(
    fields({
      name: required(containerResourceName, 'must specify a resource name'),
      container: required(named('dns1123Label'), 'must specify a container'),
      target,
    }),
    utilization,
  ),
};

/** One metric: the type, and just the source that the type names. */
export const metricSpec: Rule = about((spec, path) => {
  const { type } = spec;
  const at = child(path, 'type');
  if (isUnset(type)) {
    const unknown = notSupported(at, '', types);
    return [missing(at, 'must specify a metric source type'), unknown, unknown];
  }
  if (typeof type !== 'string' || !types.includes(type)) return [notSupported(at, type, types)];
  const expected = type.charAt(0).toLowerCase() + type.slice(1);
  const given = Object.keys(sources).filter((name) => !isUnset(spec[name]));
  const [first] = given;
  const errors =
    first === undefined ? [] : [...(sources[first]?.(spec[first], child(path, first)) ?? [])];
  if (!given.includes(expected)) {
    const why = 'must populate information for the given metric source';
    errors.push(missing(child(path, expected), why));
  }
  if (given.length === 1) return errors;
  return [
    ...errors,
    ...given
      .filter((name) => name !== expected)
      .map((name) => forbidden(child(path, name), 'must populate the given metric source only')),
  ];
});
