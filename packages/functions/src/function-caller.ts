/** A call of a Function that comes from Fnlet itself. */
export interface FunctionCall {
  readonly namespace: string;
  /** Name of the Function. */
  readonly function: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What a call came to; its body is not kept. */
export interface FunctionCallOutcome {
  /** Status of the answer. */
  readonly status: number;
}

/**
 * Calls Functions the way that everybody does, through the Gateway, which wakes those that sleep.
 *
 * @throws Error when no answer comes, or `signal` aborts
 */
export type FunctionCaller = (
  call: FunctionCall,
  signal: AbortSignal,
) => Promise<FunctionCallOutcome>;
