/** Upper bounds in seconds: those of client-go's work queue, from a millisecond on. */
export const queueSecondsEdges: readonly number[] = [0.001, 0.01, 0.1, 1, 10, 100, 1000];

/** Upper bounds in seconds: some of controller-runtime's forty. */
export const reconcileSecondsEdges: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];
