import type { BackoffOptions } from '@fnlet/base';

/** Operators that are looked at at once; each look is some requests. */
export const operatorWorkers = 4;

/** Requests at once by which is found out what an account may do. */
export const reviewsAtOnce = 8;

/**
 * How long it is believed what an account may do. Changes of roles and bindings are seen at once;
 * this is for authorizers that are none of them.
 */
export const accessAgeMaxMs = 600_000;

/** How soon an Operator that cannot run is looked at again, where nothing tells that it can. */
export const troubleRetryMs = 10_000;

/** How long an Operator that is deleted waits to be able to clean up after itself. */
export const departureMs = 60_000;

/** How soon it is looked at again what is left to clean up. */
export const departurePollMs = 1_000;

/** Objects from which a finalizer is taken in one look, so that others are looked at meanwhile. */
export const releasedAtOnceMax = 500;

/** How old the counts in a status may be: while an operator works, they change all the time. */
export const statusDelayMs = 2_000;

/** A request to a function, and an answer, where the Operator does not say otherwise. */
export const payloadBytesMax = 4_194_304;

/** How much of what a function has answered in error is told. */
export const failureTextMax = 500;

/** Changed objects that a function is asked about in one map call. */
export const mapBatchMax = 200;

/** Between two tries to have a function map what has changed; it doubles. */
export const mapRetry: BackoffOptions = { baseMs: 100, capMs: 60_000 };

/** When a function that is busy, and does not say until when, is asked again. */
export const busyMs = 1_000;

/**
 * When an object is tried again whose function does not serve: nobody is told when it does. For ten
 * thousand objects that wait, that is a few percent of a processor.
 */
export const suspendedMs = 5_000;

/** No busy time is believed to be longer. */
export const busyMaxMs = 300_000;

/**
 * Hex digits by which the settled objects of an operator are divided into pages: 16 of them. One
 * object that changes has a page written, 1.3 kB for an operator of 500 objects, 26 kB of 10 000.
 */
export const settledPageDigits = 1;

/** How long settled knowledge and records of runs wait to be written together. */
export const flushMs = 1_000;

/**
 * The same where it is kept in the API: a write there goes through etcd, and what a crash loses is
 * found out again by one run for each object that was settled in this time.
 */
export const sharedFlushMs = 5_000;

/** Pages that are written to the API at once. */
export const pageWritesAtOnce = 4;

/** How often a page is decided anew because another replica was faster; each time one was. */
export const pageTriesMax = 10;

/** Runs of one operator that are remembered, newest first. */
export const recordedRunsMax = 100;

/** The largest input that is kept with a run, to be run again. */
export const recordedInputBytesMax = 262_144;

/** Calls of all operators together; a Function has its own bounds besides. */
export const callsAtOnceMax = 128;

/**
 * How much longer than the deadline an answer is waited for: the Runner answers at the deadline
 * itself, and the Gateway takes an Instance for stuck that is silent 750 ms after it.
 */
export const lateAnswerMs = 2_000;

/** What a run has for its writes, and to wait for room, besides the deadline of its call. */
export const writesMs = 10_000;

/** When somebody comes again who waited for room in vain. */
export const roomRetryMs = 2_000;

/** So many calls a second are many: each comes with writes, and these with garbage. */
export const busyPerSecond = 20;

/** So long there have to be fewer until they are not many any more. */
export const quietSeconds = 10;

/** After an Instance went away with several calls, so long they go one by one. */
export const aloneMs = 30_000;

/** When somebody comes again who waits for another call meanwhile. */
export const aloneRetryMs = 200;

/** How long an object waits that has taken an Instance down; each time others get their turns. */
export const quarantineBackoff: BackoffOptions = { baseMs: 10_000, capMs: 300_000 };

/** Objects of an operator that are known to take Instances down; those of long ago go first. */
export const quarantinedMax = 1_000;
