import type { Clock, Logger, Random } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type {
  ArtifactStore,
  Executor,
  Instance,
  MountDirectories,
  Runtimes,
  SourceFetcher,
} from '@fnlet/executor';
import type { Gateway } from '@fnlet/gateway';
import type { ApiAddress } from './configuration-reader.ts';
import type { ExecutorOf } from './executor-condition.ts';
import type { FunctionScalingOptions } from './scaling/function-scaling.ts';

/** What Functions are given by whoever starts them. */
export interface FunctionsOptions {
  readonly client: Client;
  readonly executor: Executor;
  /**
   * Resolves once whoever looks at Pods sees these Instances as they are. Default: at once, as
   * where Instances are Pods.
   */
  readonly untilShown?: (instances: readonly Instance[]) => Promise<void>;
  readonly gateway: Pick<
    Gateway,
    'setRoute' | 'setRoutes' | 'removeRoute' | 'setEndpoints' | 'drained' | 'demandOf' | 'observe'
  >;
  readonly artifacts: Pick<ArtifactStore, 'prepare' | 'sweep'>;
  /** The way to sources that are not in the Function itself. */
  readonly sources: SourceFetcher;
  /** The first Function is there whose repository tells about pushes. Called once at most. */
  readonly onWebhooks: () => void;
  readonly runtimes: Pick<Runtimes, 'look' | 'prepare' | 'add' | 'remove'>;
  /** Nothing that was called runs on this runtime any more, or it is started in another way. */
  readonly onRuntimeUnused: (name: string) => void;
  /** What the processes of Instances use. Asked while a Function scales by it. */
  readonly readUsage: FunctionScalingOptions['readUsage'];
  /** The way to numbers that Functions scale by. */
  readonly fetchText: FunctionScalingOptions['fetchText'];
  /** How many calls wait for a Function that are answered later; `undefined`: not known. */
  readonly lagOf: FunctionScalingOptions['lagOf'];
  /** Where files of mounts are. Default: Instances are Pods, with volumes and tokens of their own. */
  readonly mounts?: MountDirectories | undefined;
  /** What runs a Function, where there is a choice. Default: there is none. */
  readonly executorOf?: ExecutorOf | undefined;
  /** Where functions that act as a ServiceAccount find the API. */
  readonly api: ApiAddress;
  /** Where people reach the Gateway, such as `http://127.0.0.1:8080`, for `status.url`. */
  readonly gatewayUrl: string;
  /** Largest request body that a function is sent. */
  readonly bodyBytesMax: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}
