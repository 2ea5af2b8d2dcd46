/** What is needed of a batch of records, as the library reads it. */
export interface RecordBatch {
  readonly firstOffset: bigint;
  readonly lastOffsetDelta: number;
  readonly attributes: number;
  readonly producerId: bigint;
  readonly records: readonly { readonly key: Uint8Array | null }[];
}

/** A transaction that was aborted, and where it begins in the partition. */
export interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: bigint;
}

const isTransactional = 1 << 4;
const isControl = 1 << 5;
/** Of the key of a control record: two bytes of a version, and two of what it says. */
const controlTypeOffset = 2;
const abortType = 0;

/**
 * Which of the batches belong to transactions that were aborted. A transaction goes on until its
 * abort is told, also into what is read later; and a producer may have aborted several.
 *
 * @param batches of one partition, in their order
 * @param aborted as the broker tells them with these batches
 */
export function findAbortedBatches<Batch extends RecordBatch>(
  batches: readonly Batch[],
  aborted: readonly AbortedTransaction[],
): readonly Batch[] {
  const coming = aborted.toSorted((a, b) => Number(a.firstOffset - b.firstOffset));
  const open = new Set<bigint>();
  const found: Batch[] = [];
  for (const batch of batches) {
    const lastOffset = batch.firstOffset + BigInt(batch.lastOffsetDelta);
    for (let next = coming[0]; next !== undefined && next.firstOffset <= lastOffset; ) {
      open.add(next.producerId);
      coming.shift();
      next = coming[0];
    }
    if ((batch.attributes & isControl) !== 0) {
      if (isAbort(batch)) open.delete(batch.producerId);
    } else if ((batch.attributes & isTransactional) !== 0 && open.has(batch.producerId)) {
      found.push(batch);
    }
  }
  return found;
}

function isAbort({ records }: RecordBatch): boolean {
  const key = records[0]?.key;
  if (key === null || key === undefined || key.length < controlTypeOffset + 2) return false;
  return new DataView(key.buffer, key.byteOffset).getInt16(controlTypeOffset) === abortType;
}
