/**
 * Events as Kyma's module Eventing tells them apart. Both sides need it: who takes events in, and
 * who makes Triggers of Subscriptions.
 */

/** The Broker of a namespace that keeps what is published for its Subscriptions. */
export const kymaBrokerName = 'kyma-eventing';

/** The attribute of an event by which Subscriptions choose; see {@link kymaSubject}. */
export const kymaSubjectAttribute = 'kymasubject';

/**
 * What an event is about: `<source>.<type>`, without the characters that Kyma takes out of them so
 * that they are subjects of NATS (eventing-manager, pkg/backend/cleaner/jetstream.go).
 */
export function kymaSubject(source: string, type: string): string {
  return `${source.replace(/[\s.>*/\\]/g, '')}.${cleanKymaType(type)}`;
}

/** A type of events without the characters that Kyma takes out. */
export function cleanKymaType(type: string): string {
  return type.replace(/[\s>*/\\]/g, '');
}
