/**
 * Records of transactions that were aborted are kept by brokers and sent to all who read; which
 * these are stands beside them. The library leaves out those whose abort comes in the same answer,
 * and of each producer one transaction: others would come as if they counted.
 *
 * I1. A batch that is left out is passed all the same: its offsets are not read again.
 */
import type { Callback, Consumer, FetchOptions, RecordsBatch } from '@platformatic/kafka';
import { type AbortedTransaction, findAbortedBatches } from './aborted-batches.ts';

/** What a broker answers, as far as it is looked at. */
interface FetchAnswer {
  readonly responses: readonly {
    readonly partitions: readonly {
      readonly records?: readonly RecordsBatch[] | null;
      readonly abortedTransactions: readonly AbortedTransaction[] | null;
    }[];
  }[];
}

/** The consumer, whose streams have no records of transactions that were aborted. */
export function readCommitted(consumer: Consumer): Consumer {
  const fetchAll = consumer.fetch.bind(consumer);
  const fetch = (
    options: FetchOptions<Buffer, Buffer, Buffer, Buffer>,
    callback: Callback<FetchAnswer>,
  ): void => {
    fetchAll(options).then((answer) => {
      leaveOutAborted(answer);
      callback(null, answer);
    }, callback);
  };
  return Object.assign(consumer, { fetch });
}

function leaveOutAborted({ responses }: FetchAnswer): void {
  for (const { records, abortedTransactions } of responses.flatMap((each) => each.partitions)) {
    // I1
    for (const batch of findAbortedBatches(records ?? [], abortedTransactions ?? [])) {
      batch.records = [];
    }
  }
}
