/** Something that gives chunks one by one, and can be told that no more are wanted. */
export interface ChunkSource {
  next(): Promise<IteratorResult<unknown, unknown>>;
  /** Takes effect at once where the source allows it, even while a `next` is pending. */
  cancel(): void;
}

/** Opens a web stream, a Node stream or any async iterable for reading. */
export function openChunkSource(source: AsyncIterable<unknown>): ChunkSource {
  if (source instanceof ReadableStream) return readerSource(source);
  const iterator = source[Symbol.asyncIterator]();
  const destroy = 'destroy' in source ? source.destroy : undefined;
  return {
    next: () => iterator.next(),
    cancel() {
      if (typeof destroy === 'function') destroy.call(source);
      // A generator ends at its next `yield`; what it throws then concerns nobody any more.
      iterator.return?.().catch(ignore);
    },
  };
}

// Not the stream's own iterator: that one waits for a pending read before it cancels.
function readerSource(stream: ReadableStream<unknown>): ChunkSource {
  const reader = stream.getReader();
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? { done: true, value: undefined } : { done: false, value };
    },
    cancel: () => void reader.cancel().catch(ignore),
  };
}

function ignore(): void {}
