/** One variable of a container (core/v1 EnvVar). */
export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string };
    readonly resourceFieldRef?: ResourceFieldReference;
    readonly configMapKeyRef?: KeyReference;
    readonly secretKeyRef?: KeyReference;
  };
}

/** A key of a ConfigMap or Secret. */
export interface KeyReference {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

/** A request or limit of a container. */
export interface ResourceFieldReference {
  readonly containerName?: string;
  readonly resource: string;
  readonly divisor?: string;
}

/** All keys of a ConfigMap or Secret as variables (core/v1 EnvFromSource). */
export interface EnvironmentSource {
  readonly prefix?: string;
  readonly configMapRef?: { readonly name: string; readonly optional?: boolean };
  readonly secretRef?: { readonly name: string; readonly optional?: boolean };
}

/** What a probe or a hook does. Exactly one of them. */
export interface ProbeAction {
  readonly exec?: { readonly command?: readonly string[] };
  readonly httpGet?: {
    readonly path?: string;
    readonly port: number | string;
    readonly host?: string;
    readonly scheme?: string;
    readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
  };
  readonly tcpSocket?: { readonly port: number | string; readonly host?: string };
  readonly grpc?: { readonly port: number; readonly service?: string };
}

/** core/v1 Probe; what is absent has Kubernetes' default. */
export interface Probe extends ProbeAction {
  readonly initialDelaySeconds?: number;
  readonly timeoutSeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
}

/** core/v1 LifecycleHandler. */
export interface LifecycleHook extends ProbeAction {
  readonly sleep?: { readonly seconds: number };
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
  readonly readOnly?: boolean;
}

/** core/v1 Container, as far as this room runs it. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly EnvironmentVariable[];
  readonly envFrom?: readonly EnvironmentSource[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly resources?: {
    readonly limits?: Readonly<Record<string, string | number>>;
    readonly requests?: Readonly<Record<string, string | number>>;
  };
  readonly volumeMounts?: readonly VolumeMount[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  /** Whether people write to its input, when they attach to it. */
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly tty?: boolean;
  readonly lifecycle?: { readonly postStart?: LifecycleHook; readonly preStop?: LifecycleHook };
  /** Of init containers only: `Always` makes it a sidecar (KEP-753). */
  readonly restartPolicy?: 'Always';
}

export type ProbeKind = 'startup' | 'liveness' | 'readiness';

/** Whether an init container goes on beside the others (KEP-753). */
export function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}
