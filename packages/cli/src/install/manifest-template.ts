/**
 * Manifests with places for values, as plain data: one source for what `fnlet install` applies and
 * for the Helm chart. Two read it: `resolveTemplate()` here, and tooling/helm-chart.ts.
 */
import { assert } from '@fnlet/base';

/** Values by the paths of their settings, such as `gateway.minReplicas`. */
export type TemplateValues = Readonly<Record<string, unknown>>;

/** The value of a setting. */
export interface ValueSlot {
  readonly $value: string;
}

/** A text with values in it. */
export interface TextSlot {
  readonly $text: readonly (string | ValueSlot)[];
}

/**
 * `then` where the setting is neither empty nor false (as Helm understands `if`), else `otherwise`;
 * a field or item without one is left out.
 */
export interface ChoiceSlot {
  readonly $if: string;
  readonly then?: Template;
  readonly otherwise?: Template;
}

export type Template =
  | string
  | number
  | boolean
  | ValueSlot
  | TextSlot
  | ChoiceSlot
  | readonly Template[]
  | TemplateFields;

export interface TemplateFields {
  readonly [field: string]: Template | undefined;
}

/** One object of the installation. */
export interface ManifestTemplate {
  /** Made only where this setting is neither empty nor false. */
  readonly when?: string;
  readonly object: TemplateFields;
}

export function value(path: string): ValueSlot {
  return { $value: path };
}

export function text(...parts: readonly (string | ValueSlot)[]): TextSlot {
  return { $text: parts };
}

export function choose(path: string, then?: Template, otherwise?: Template): ChoiceSlot {
  return {
    $if: path,
    ...(then === undefined ? {} : { then }),
    ...(otherwise === undefined ? {} : { otherwise }),
  };
}

export function isValueSlot(template: Template): template is ValueSlot {
  return typeof template === 'object' && '$value' in template;
}

export function isTextSlot(template: Template): template is TextSlot {
  return typeof template === 'object' && '$text' in template;
}

export function isChoiceSlot(template: Template): template is ChoiceSlot {
  return typeof template === 'object' && '$if' in template;
}

/** The template with its values; `undefined` when nothing is left of it. */
export function resolveTemplate(template: Template, values: TemplateValues): unknown {
  if (typeof template !== 'object') return template;
  if (isList(template)) {
    return template
      .map((item) => resolveTemplate(item, values))
      .filter((item) => item !== undefined);
  }
  if (isValueSlot(template)) return lookUp(template.$value, values);
  if (isTextSlot(template)) {
    const parts = template.$text.map((part) =>
      typeof part === 'string' ? part : String(lookUp(part.$value, values)),
    );
    return parts.join('');
  }
  if (isChoiceSlot(template)) {
    const chosen = isSet(template.$if, values) ? template.then : template.otherwise;
    return chosen === undefined ? undefined : resolveTemplate(chosen, values);
  }
  const fields = Object.entries(template).flatMap(([name, field]) => {
    const resolved = field === undefined ? undefined : resolveTemplate(field, values);
    return resolved === undefined ? [] : [[name, resolved] as const];
  });
  return Object.fromEntries(fields);
}

/** Whether a setting is neither empty nor false. */
export function isSet(path: string, values: TemplateValues): boolean {
  const found = lookUp(path, values);
  if (Array.isArray(found)) return found.length > 0;
  if (typeof found === 'object' && found !== null) return Object.keys(found).length > 0;
  return Boolean(found);
}

export function isList(template: Template): template is readonly Template[] {
  return Array.isArray(template);
}

function lookUp(path: string, values: TemplateValues): unknown {
  assert(Object.hasOwn(values, path), `the installation has no setting "${path}"`);
  return values[path];
}
