import { isJsonObject } from '@fnlet/base';

/**
 * Annotation of a function of Kyma: how it scales, as JSON of `spec.scale` of a Function of Fnlet,
 * in place of its `replicas`. ScaledObjects of KEDA write it.
 */
export const scaleAnnotation = 'fnlet.dev/scale';

/** The ScaledObject that wrote it. */
export const scaledByAnnotation = 'fnlet.dev/scaled-by';

/** What the annotation says; it is judged with all the rest. `undefined` where it is no object. */
export function readScaleAnnotation(text: string | undefined): object | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
