import { FnletError } from '@fnlet/base';

/** What can go wrong when an expression is evaluated (CESQL 1.0, section 3.3). */
export type CesqlTroubleCode =
  | 'MathError'
  | 'CastError'
  | 'MissingAttributeError'
  | 'MissingFunctionError'
  | 'FunctionEvaluationError';

/** What went wrong for one event. A value: it happens for every event that lacks an attribute. */
export interface CesqlTrouble {
  readonly code: CesqlTroubleCode;
  /** What was found, and what was expected. */
  readonly message: string;
}

/** A text that is no expression; its code is always `ParseError`. */
export class CesqlError extends FnletError<'ParseError'> {
  override readonly name = 'CesqlError';
  /** Which character of the text is wrong, from 0. */
  readonly position: number;

  constructor(text: string, position: number, expected: string) {
    const found = position < text.length ? `"${text.slice(position, position + 20)}"` : 'its end';
    super(
      'ParseError',
      `Cannot read CESQL expression: found ${found} at character ${position + 1}, ` +
        `expected ${expected}`,
    );
    this.position = position;
  }
}
