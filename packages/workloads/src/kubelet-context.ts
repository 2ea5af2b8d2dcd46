import type { Clock, Logger, Random } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { ContainerRuntime } from '@fnlet/executor';
import type { EventRecorder } from '@fnlet/reconcile';

/** What Pods are run with; the same for all of them. */
export interface KubeletOptions {
  readonly client: Client;
  readonly runtime: ContainerRuntime;
  readonly nodeName: string;
  /** Where the machine is reached. */
  readonly hostIP: string;
  /** What the node has, such as `{cpu: '8', memory: '16Gi'}`. */
  readonly capacity: Readonly<Record<string, string>>;
  /** Fnlet's own Node, which stands for the images `node`. */
  readonly nodeProgram: string;
  readonly nodeVersion: string;
  /** Whether containers may run any program of this machine. Default false. */
  readonly allowHostCommands: boolean;
  /** Where containers look for programs, when they do not say it. */
  readonly programPath: string;
  /** The Kubernetes API, for containers that talk to it, and the authority of its certificate. */
  readonly api: { readonly host: string; readonly port: string; readonly caPem: string };
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The options, and what the room has of its own. */
export interface KubeletContext extends KubeletOptions {
  readonly events: Pick<EventRecorder, 'record'>;
}
