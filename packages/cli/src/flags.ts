import type { DocumentFormat, GlobalOptions, OutputFormat } from './cli-context.ts';
import type { TopOrder } from './pod-usage.ts';

/** Flags that describe a Function, as `deploy` and `dev` take them. */
export interface SourceFlags extends GlobalOptions {
  /** Default: what the source is meant for. */
  readonly runtime?: string;
  readonly handler: string;
  readonly env: readonly string[];
  readonly fromLiteral: readonly string[];
  readonly fromEnvFile?: string;
  readonly dependencies?: string;
  readonly min?: number;
  readonly max?: number;
  readonly idleAfter?: string;
  readonly timeout?: string;
}

export interface DeployFlags extends SourceFlags {
  readonly wait: boolean;
  readonly watch?: boolean;
  readonly waitTimeout: string;
}

export interface DevFlags extends Omit<SourceFlags, 'output'> {
  readonly name?: string;
}

export interface UpFlags {
  readonly output?: DocumentFormat;
}

export interface CallFlags extends GlobalOptions {
  readonly output?: DocumentFormat;
  readonly data?: string;
  readonly header: readonly string[];
  readonly method?: string;
  readonly path: string;
  readonly async?: boolean;
  readonly include?: boolean;
}

export interface LogsFlags extends GlobalOptions {
  readonly output?: DocumentFormat;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly tail?: number;
  readonly timestamps?: boolean;
}

export interface LsFlags extends GlobalOptions {
  readonly allNamespaces?: boolean;
}

export interface TopFlags extends Omit<GlobalOptions, 'output'> {
  readonly output?: DocumentFormat | 'table';
  readonly allNamespaces?: boolean;
  readonly sortBy?: TopOrder;
}

export interface DeleteFlags extends GlobalOptions {
  readonly wait: boolean;
  readonly ignoreNotFound?: boolean;
}

export interface SyncFlags extends GlobalOptions {
  readonly waitTimeout: string;
}

export interface RollbackFlags extends GlobalOptions {
  readonly to?: string;
  readonly latest?: boolean;
  readonly waitTimeout: string;
}

export interface EjectFlags extends Omit<GlobalOptions, 'output'> {
  readonly dir?: string;
  readonly targetName?: string;
  readonly force?: boolean;
}

export interface ExportFlags extends Omit<GlobalOptions, 'output'> {
  readonly output: DocumentFormat;
  readonly allNamespaces?: boolean;
  readonly withSecrets?: boolean;
  readonly dir?: string;
  readonly force?: boolean;
}

export interface PromoteFlags extends Omit<GlobalOptions, 'output'> {
  readonly output?: Exclude<OutputFormat, 'table'>;
  readonly toContext: string;
  readonly toKubeconfig?: string;
  readonly toNamespace?: string;
  readonly withSecrets?: boolean;
  readonly dryRun?: boolean;
  readonly forceConflicts?: boolean;
  readonly yes?: boolean;
}

export interface AutoscaleFlags extends GlobalOptions {
  readonly min?: number;
  readonly max?: number;
  readonly metric?: string;
  readonly target?: number;
  readonly idleAfter?: string;
  readonly predict?: boolean;
}

/** What runs in the Pods of an installation. */
export interface ClusterPartFlags {
  readonly flags: Readonly<Record<string, string>>;
  readonly kubeconfig?: string;
  readonly context?: string;
}
