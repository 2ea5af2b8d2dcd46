/** Operations of one JSON patch: Kubernetes refuses more, so that one request stays cheap. */
export const jsonPatchOperationsMax = 10_000;

/**
 * Bytes (as JSON) that the `copy` operations of one patch may add: repeated copies double a
 * document with each operation. The size of the largest request body that Kubernetes takes.
 */
export const jsonPatchCopyBytesMax: number = 3 * 1024 * 1024;

/**
 * Values that they may add: three bytes make one. No object that people apply has more in all, and
 * each is looked at a dozen times until it is stored.
 */
export const jsonPatchCopyValuesMax = 40_000;

/** Parts of one JSON pointer: deeper bodies are refused by the API (`exceeded max depth`). */
export const jsonPointerTokensMax = 1000;

/** All annotations of an object together, keys and values (apimachinery's TotalAnnotationSize). */
export const annotationBytesMax: number = 256 * 1024;

/** `Update` entries in managedFields; older ones are merged into one (apimachinery's cap). */
export const updateManagersMax = 10;

/** Characters of a quantity: longer texts say nothing that the capped value could hold. */
export const quantityCharactersMax = 64;
