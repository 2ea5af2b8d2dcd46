import type { KubeObject } from '@fnlet/machinery';
import type { Resource } from '../resource/resource.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';

/** Those who may refuse or change what is written. */
export interface Admission {
  /** Whether anybody could be asked: when not, nothing need be prepared for it. */
  asksAbout(resource: Resource): boolean;
  /**
   * The object as it is wanted, unpruned and without new defaults; the same one when nobody wants a
   * change.
   *
   * @throws StatusError what a webhook answers, `InternalError` (it could not be asked), `Forbidden`
   * (its conditions have no value)
   */
  mutate(attributes: AdmissionAttributes): Promise<KubeObject | undefined>;
  /** @throws StatusError as `mutate` does */
  validate(attributes: AdmissionAttributes): Promise<void>;
  close(): void;
}
