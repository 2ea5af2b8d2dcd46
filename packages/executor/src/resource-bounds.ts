/** What a process and all that it starts may use at most, together. */
export interface ResourceBounds {
  readonly cpuCoresMax?: number;
  readonly memoryBytesMax?: number;
}

/** Whether anything is bounded. */
export function isBounded({ cpuCoresMax, memoryBytesMax }: ResourceBounds): boolean {
  return cpuCoresMax !== undefined || memoryBytesMax !== undefined;
}
