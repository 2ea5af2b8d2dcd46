/** What is known besides what the Gateway measured. */
export interface Readings {
  /** CPU that ready Instances use on average, in percent of what each may count on. */
  readonly cpu: number | undefined;
  /** The same of memory. */
  readonly memory: number | undefined;
  /** By the name of the metric; what is missing is not known. */
  readonly external: ReadonlyMap<string, number>;
}

export const noReadings: Readings = { cpu: undefined, memory: undefined, external: new Map() };
