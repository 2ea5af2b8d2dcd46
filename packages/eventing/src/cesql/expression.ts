/** What an expression, or a part of one, has as its value. */
export type CesqlValue = string | number | boolean;

export type CesqlType = 'String' | 'Integer' | 'Boolean';

export type ArithmeticOperator = '*' | '/' | '%' | '+' | '-';
export type OrderOperator = '<' | '<=' | '>' | '>=';
export type LogicOperator = 'AND' | 'OR' | 'XOR';

/** An expression as it was written. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: CesqlValue }
  | { readonly kind: 'attribute'; readonly name: string }
  | { readonly kind: 'exists'; readonly name: string }
  | { readonly kind: 'not'; readonly operand: Expression }
  | { readonly kind: 'negate'; readonly operand: Expression }
  | {
      readonly kind: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'order';
      readonly operator: OrderOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'equal';
      readonly negated: boolean;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'logic';
      readonly operator: LogicOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'like';
      readonly negated: boolean;
      readonly operand: Expression;
      readonly pattern: string;
    }
  | {
      readonly kind: 'in';
      readonly negated: boolean;
      readonly operand: Expression;
      readonly items: readonly Expression[];
    }
  | { readonly kind: 'call'; readonly name: string; readonly operands: readonly Expression[] };
