/**
 * The cost that one CEL expression may use. A cost of 1 is about one evaluated node of the
 * expression; Kubernetes' PerCallLimit (1e6 of its own, similar units) stops a rule after roughly
 * 0.1 s, and so does this.
 */
export const celCallCostMax = 1_000_000;

/**
 * The cost that all CEL rules of one object may use together: Kubernetes' RuntimeCELCostBudget,
 * about a second of evaluation, after which the remaining rules are refused instead of run.
 */
export const celRequestCostMax = 10_000_000;

/**
 * What one rule may cost at most, as estimated when its CustomResourceDefinition is written, and
 * all rules of one definition together (apiextensions: StaticEstimatedCostLimit and
 * StaticEstimatedCRDCostLimit).
 */
export const celRuleEstimateMax = 10_000_000;
export const celDefinitionEstimateMax = 100_000_000;

/** Values without a bound of their own are as large as a request can be (apiserver: 3 MiB). */
export const celRequestBytesMax: number = 3 * 1024 * 1024;

/** Estimated costs and sizes do not grow beyond it, like the 64 bits of cel-go. */
export const celSizeMax: number = 2 ** 64;

/** The length of a CEL expression in characters; a longer one is no rule but a program. */
export const celExpressionLengthMax = 10_000;

/** How deep a CEL expression may nest, so that neither parser nor evaluator overflows the stack. */
export const celDepthMax = 200;

/** Bytes that a messageExpression may give (Kubernetes: MaxEvaluatedMessageExpressionSizeBytes). */
export const celMessageBytesMax = 5120;

/** Instructions of a compiled regular expression; RE2 has the same kind of bound for `x{1000}`. */
export const regexProgramSizeMax = 20_000;

/** Nesting of groups in a regular expression (Go's regexp/syntax: maxHeight). */
export const regexDepthMax = 200;

/** Cached states of one regular expression; beyond it the cache starts anew. */
export const regexStatesMax = 1_000;

/** Characters (Latin, by code point) whose way out of a state is remembered; others are rare. */
export const regexCachedCodes = 0x300;

/** Compiled regular expressions that CEL remembers for patterns known only at run time. */
export const regexCacheMax = 100;

/** A message shows this much of a path: there may be a thousand, of keys of a megabyte. */
export const pathCharactersMax = 2000;

/** So many unknown fields of one object are named (sigs.k8s.io/json: 100). */
export const unknownFieldsMax = 100;
