import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import { listField, objectField } from '../../object/object-form.ts';
import { annotations, labels } from '../form.ts';
import { selectorOf, selects } from '../label-selector-rule.ts';
import { forbidden, invalid, notSupported } from '../refusal.ts';
import { about, child, isUnset, type Rule } from '../rule.ts';
import { podSpecDefaults } from './pod-spec-defaults.ts';
import { podSpecRule } from './pod-spec-rule.ts';

/** The object with the defaults of its Pod template, which is there even when nobody wrote it. */
export function fillTemplate(object: JsonObject): JsonObject {
  const template = objectField(object, 'template');
  const spec = podSpecDefaults(objectField(template, 'spec'));
  return { ...object, template: { ...template, spec } };
}

/** core/v1 PodTemplateSpec. */
export const podTemplate: Rule = about((template, path) => {
  const spec = child(path, 'spec');
  const metadata = objectField(template, 'metadata');
  const errors = [
    ...labels(metadata.labels, child(path, 'labels')),
    ...annotations(metadata.annotations, child(path, 'annotations')),
    ...podSpecRule(template.spec, spec),
  ];
  if (listField(objectField(template, 'spec'), 'ephemeralContainers').length === 0) return errors;
  const why = 'ephemeral containers not allowed in pod template';
  return [...errors, forbidden(child(spec, 'ephemeralContainers'), why)];
});

/** What a kind asks of the template whose Pods it keeps running. */
export interface RunningTemplate {
  readonly template: unknown;
  readonly path: string;
  /** A LabelSelector that the labels of the template must meet. */
  readonly selector: unknown;
  /** Named where a deadline is refused. */
  readonly kind: string;
  /** What is said of a selector that means nothing: then the template is not looked at. */
  readonly refusal?: string;
}

/** A template of Pods that run for ever: selected by their owner, always restarted. */
export function runningTemplateErrors(asked: RunningTemplate): readonly FieldError[] {
  const { template, path, kind, selector } = asked;
  if (asked.refusal !== undefined && !isUnset(selector) && selectorOf(selector) === undefined) {
    const at = `${path.replace(/[^.]*$/, '')}selector`;
    return [invalid(at, selector, asked.refusal)];
  }
  const spec = objectField(isJsonObject(template) ? template : {}, 'spec');
  const errors = [...labelErrors(asked), ...podTemplate(template, path)];
  const at = child(path, 'spec');
  if (!isUnset(spec.restartPolicy) && spec.restartPolicy !== 'Always') {
    errors.push(notSupported(child(at, 'restartPolicy'), spec.restartPolicy, ['Always']));
  }
  if (!isUnset(spec.activeDeadlineSeconds)) {
    const why = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(forbidden(child(at, 'activeDeadlineSeconds'), why));
  }
  return errors;
}

/** The refusal of a template whose Pods its owner would not find. */
export function labelErrors({
  template,
  path,
  selector,
}: Omit<RunningTemplate, 'kind'>): readonly FieldError[] {
  const metadata = objectField(isJsonObject(template) ? template : {}, 'metadata');
  const own = objectField(metadata, 'labels');
  const parsed = selectorOf(selector);
  // A missing selector selects nothing, an empty one everything.
  if (parsed !== undefined ? selects(selector, own) : !isUnset(selector)) return [];
  const text = '`selector` does not match template `labels`';
  const found = metadata.labels ?? null;
  return [invalid(child(path, 'metadata.labels'), found, text)];
}
