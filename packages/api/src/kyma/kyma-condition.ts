/** The conditions of a Kyma Function. */
export const kymaConditions = {
  /** The spec is understood, and its source there. */
  configurationReady: 'ConfigurationReady',
  /** The newest code serves. */
  running: 'Running',
} as const;

/** Why a condition of a Kyma Function has its status; Kyma's own words, as far as they are used. */
export const kymaReasons = {
  invalidFunctionSpec: 'InvalidFunctionSpec',
  sourceUpdateFailed: 'SourceUpdateFailed',
  functionSpecValidated: 'FunctionSpecValidated',
  deploymentCreated: 'DeploymentCreated',
  deploymentWaiting: 'DeploymentWaiting',
  deploymentReady: 'DeploymentReady',
  deploymentFailed: 'DeploymentFailed',
  minReplicasNotAvailable: 'MinReplicasNotAvailable',
} as const;

/** Reason of a condition of a Kyma Function. */
export type KymaReason = (typeof kymaReasons)[keyof typeof kymaReasons];
