/** What the status of a Broker says; it has `observedGeneration` of the spec it is about. */
export const brokerConditions = {
  /** It takes events. */
  ready: 'Ready',
  /** It keeps what its Triggers are not done with. */
  retained: 'Retained',
  /** Its Service leads to it. */
  addressable: 'Addressable',
} as const;

/** Why a Broker is ready, or is not; part of the API. */
export const brokerReasons = {
  /** True: everything is as it should be. */
  ready: 'Ready',
  /** Its events cannot be kept, for what the message says. */
  logUnavailable: 'LogUnavailable',
  /** True: no event went too early. */
  retained: 'Retained',
  /** There was no room for all events that its Triggers are not done with. */
  boundsReached: 'BoundsReached',
  /** True: its Service leads to it. */
  addressable: 'Addressable',
  /** There is no Service of its own, for what the message says. */
  noService: 'NoService',
} as const;
