import type { KubeObject } from '@fnlet/machinery';
import type { Resource } from '../resource/resource.ts';
import { isKubeObject } from './object-form.ts';

/** The defaults of the kind, which clients may leave out: those of its schema and its own. */
export function applyDefaults(resource: Resource, object: KubeObject): KubeObject {
  const defaulted = resource.schema.applyDefaults(object);
  const whole = isKubeObject(defaulted) ? defaulted : object;
  return resource.strategy.defaults?.(whole) ?? whole;
}
