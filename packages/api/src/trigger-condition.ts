/** What the status of a Trigger says; it has `observedGeneration` of the spec it is about. */
export const triggerConditions = {
  /** What comes from the source reaches the target, all of it. */
  ready: 'Ready',
  /** Its source brings events; of every source but http. */
  sourceReady: 'SourceReady',
} as const;

/** Why a Trigger is ready, or is not; part of the API. */
export const triggerReasons = {
  /** True: everything is as it should be. */
  ready: 'Ready',
  /** The Function does not exist; callers are answered 503, and events wait, until it does. */
  functionNotFound: 'FunctionNotFound',
  /** The Function has no such tag; callers are answered 503, and events wait, until it has. */
  tagNotFound: 'TagNotFound',
  /** There is no such Broker; events wait until there is. */
  brokerNotFound: 'BrokerNotFound',
  /** There is no such Operator; events wait until there is. */
  operatorNotFound: 'OperatorNotFound',
  /** What the Trigger says cannot be meant: the message says what. */
  invalidSpec: 'InvalidSpec',
  /** It is to deliver nothing. */
  paused: 'Paused',
  /** The source brings nothing, the message says why; it is tried again from time to time. */
  sourceFailed: 'SourceFailed',
  /** Unknown: the source is being started, and has not run yet. */
  starting: 'Starting',
  /** Of SourceReady: it is not asked for events. */
  stopped: 'Stopped',
  /** Events cannot be delivered for reasons of Fnlet's own. */
  deliveryFailed: 'DeliveryFailed',
  /** The target does not answer: events wait, and one is sent from time to time. */
  targetDown: 'TargetDown',
  /** An older Trigger has some of its requests: the message says which one, and which requests. */
  routeConflict: 'RouteConflict',
  /** What says whom to let through is not there; callers are answered 503 until it is. */
  policyIncomplete: 'PolicyIncomplete',
  /** The Secret with the certificate does not exist, or lacks a key. */
  certificateNotFound: 'CertificateNotFound',
  /** The certificate is broken, is over, or is not for a host of the Trigger. */
  certificateInvalid: 'CertificateInvalid',
  /** There is a certificate, but the Gateway does not speak TLS. */
  tlsNotServed: 'TlsNotServed',
} as const;

/** Reason of a condition of a Trigger. */
export type TriggerReason = (typeof triggerReasons)[keyof typeof triggerReasons];
