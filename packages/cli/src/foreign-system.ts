import type { KubeObject, ResourceType } from '@fnlet/machinery';

/** What an object of another system is in Fnlet. */
export type ForeignTranslation =
  | {
      readonly kind: 'translated';
      readonly objects: readonly KubeObject[];
      /** What of it has no counterpart, or works otherwise. */
      readonly notices: readonly string[];
    }
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

/** A system whose objects `fnlet import` turns into Fnlet's. */
export interface ForeignSystem {
  /** As its users write it, such as `Kyma`. */
  readonly title: string;
  /** The kinds that are read from a cluster. */
  readonly types: readonly ResourceType[];
  /**
   * `undefined` for an object that is not of this system.
   *
   * @param all everything that is translated, since objects may be about each other
   */
  translate(object: KubeObject, all: readonly KubeObject[]): ForeignTranslation | undefined;
}
