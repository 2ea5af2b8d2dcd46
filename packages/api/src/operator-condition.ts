/** What the status of an Operator says; each has `observedGeneration` of the spec it is about. */
export const operatorConditions = {
  /** Changes of its objects reach its function, and what it answers is done. */
  ready: 'Ready',
  /** The API serves all kinds that it names. */
  kindsServed: 'KindsServed',
  /** Its ServiceAccount may do all that it declares to do. */
  permissionsGranted: 'PermissionsGranted',
  /** Its function can be called. */
  functionReady: 'FunctionReady',
} as const;

/** Type of a condition of an Operator. */
export type OperatorConditionType = (typeof operatorConditions)[keyof typeof operatorConditions];

/** Why an Operator is ready, or is not; part of the API. */
export const operatorReasons = {
  /** True: everything is as it should be. */
  ready: 'Ready',
  /** True, of Ready: some objects fail, each for itself; status.objects counts them. */
  objectsFailing: 'ObjectsFailing',
  /** True, of Ready: children of some objects are somebody else's, or fought over. */
  objectsBlocked: 'ObjectsBlocked',
  /** True, of Ready: the function fails to say whom changes of watched objects concern. */
  mapFailing: 'MapFailing',
  /** Unknown: what there is is being read for the first time. */
  starting: 'Starting',
  /** What the Operator says cannot be meant: the message says what. */
  invalidSpec: 'InvalidSpec',
  /** The definition of a kind in spec.crds was refused. */
  definitionRefused: 'DefinitionRefused',
  /** The API serves no such kind, or not so that it can be watched. */
  kindNotServed: 'KindNotServed',
  /** Its ServiceAccount may not do what it declares: the message has the rule to add. */
  permissionMissing: 'PermissionMissing',
  /** The Function does not exist. */
  functionNotFound: 'FunctionNotFound',
  /** The Function does not serve: its own conditions say why. */
  functionNotReady: 'FunctionNotReady',
  /** The Function that it would make exists already, and is not its own. */
  functionTaken: 'FunctionTaken',
  /** It has the pause annotation: nothing is run. */
  paused: 'Paused',
  /** It cannot run for reasons of Fnlet's own; it is tried again. */
  hubFailed: 'HubFailed',
} as const;

/** Reason of a condition of an Operator. */
export type OperatorReason = (typeof operatorReasons)[keyof typeof operatorReasons];
