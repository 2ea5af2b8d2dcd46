/** Instances that there are to be at least, whatever the load. */
export interface Floor {
  readonly min: number;
  /** Why, in a few words for a person. */
  readonly reason: string;
}

/** The highest of them; the first of those that are equal. */
export function highestFloor(floors: readonly Floor[]): Floor | undefined {
  let highest: Floor | undefined;
  for (const floor of floors) if (floor.min > (highest?.min ?? 0)) highest = floor;
  return highest;
}
