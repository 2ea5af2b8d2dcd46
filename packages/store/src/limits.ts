/** The bounds of the store, each with its reason. */
export const limits = {
  /**
   * Changes that can be watched and listed from. At a steady 30 changes a second this is more than
   * the five minutes for which a kube-apiserver keeps etcd's history, at a few MB on disk.
   */
  historyMin: 10_000,
  /** How far the log outgrows `historyMin` before one write also compacts so many changes. */
  compactionBatch: 1_000,
  /** Changes read at once while a watch catches up: keeps one turn of the loop below 5 ms. */
  replayPage: 256,
  /** Changes that wait for one watcher; a reader further behind is cut off and lists again. */
  watcherBacklogMax: 4_096,
  /** Writes that wait for the running flush; at 10 000 the disk is seconds behind. */
  pendingWritesMax: 10_000,
  /** Mutations in one flush: what follows waits for the next, so that a flush stays short. */
  flushMutationsMax: 1_024,
  /** Text of all hot values; parsed they take some four times as much. */
  hotCharactersMax: 262_144,
  /** A larger value would drive too many others out. */
  hotValueCharactersMax: 16_384,
  /**
   * Addresses that the file is mapped at, not memory: room for some 400 000 objects. A larger file
   * is mapped anew at twice the size, and what was read through the old map stays in it: from
   * lmdb's own first 128 kB on that was two thirds of the file once more.
   */
  mapBytes: 268_435_456,
  /** Bytes of a key in UTF-8; LMDB takes 1 978. Group, plural, namespace and name fit twice. */
  keyBytesMax: 1_500,
} as const;
