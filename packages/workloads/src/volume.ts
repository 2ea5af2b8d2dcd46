/** A key of a ConfigMap or Secret as a file (core/v1 KeyToPath). */
export interface KeyToPath {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

/** One file of a downward API volume. */
export interface DownwardFile {
  readonly path: string;
  readonly mode?: number;
  readonly fieldRef?: { readonly fieldPath: string };
  readonly resourceFieldRef?: { readonly containerName?: string; readonly resource: string };
}

export interface ConfigMapSource {
  readonly name: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
  readonly defaultMode?: number;
}

export interface SecretSource {
  readonly secretName?: string;
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
  readonly defaultMode?: number;
}

/** One source of a projected volume. */
export interface Projection {
  readonly configMap?: ConfigMapSource;
  readonly secret?: SecretSource;
  readonly downwardAPI?: { readonly items?: readonly DownwardFile[] };
  readonly serviceAccountToken?: { readonly path: string; readonly audience?: string };
}

/** core/v1 Volume: a name and one source; those that this room can provide. */
export interface Volume {
  readonly name: string;
  readonly emptyDir?: object;
  readonly hostPath?: { readonly path: string; readonly type?: string };
  readonly configMap?: ConfigMapSource;
  readonly secret?: SecretSource;
  readonly downwardAPI?: {
    readonly items?: readonly DownwardFile[];
    readonly defaultMode?: number;
  };
  readonly projected?: {
    readonly sources?: readonly Projection[];
    readonly defaultMode?: number;
  };
}
