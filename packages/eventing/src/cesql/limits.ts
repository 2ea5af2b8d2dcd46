/** Every bound of expressions and its reason. */
export const cesqlLimits = {
  /** Characters of an expression: longer ones are generated, and lists for them belong elsewhere. */
  charactersMax: 4_096,
  /** How deep parentheses nest: each level takes some of the stack. */
  depthMax: 100,
} as const;
