/**
 * Long work without effects, in steps: whoever runs it may do something else between two of them,
 * or never take the next.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Takes all steps at once. */
export function runToEnd<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
