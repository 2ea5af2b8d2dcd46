import type { InvocationLimits } from '@fnlet/invocation';
import { limits } from './limits.ts';

/**
 * V8 sizes its heap by the memory of the machine, which it cannot be told anew: it would let
 * garbage grow past a small limit, and the Instance be killed for it. So where the limit is small
 * it is made to collect early. To be called when the code is loaded and the compile cache written:
 * code that was compiled under other flags is refused.
 */
export function preferSmallHeap({ memoryBytesMax }: InvocationLimits): void {
  if (memoryBytesMax === undefined || memoryBytesMax > limits.smallMemoryBytes) return;
  process.getBuiltinModule('node:v8').setFlagsFromString('--optimize-for-size');
}
