/** Distinct field sets kept parsed; operators have about as many as kinds of children. */
export const fieldSetsMax = 1024;

/** Parts of field sets that objects of a cache share; an operator has some dozens. */
export const sharedFieldsMax = 1024;

/** Primaries whose children are remembered; three children take about 2 kB. */
export const rememberedPrimariesMax = 50_000;

/** Contested fields that a message names. */
export const rivalFieldsMax = 3;

/** Children of one primary that are written at once. */
export const childConcurrency = 8;

/**
 * The breaker of a child: ten changes back in a minute are a fight, one change a second is more
 * than a child needs, and one probe a minute, later one in ten, is cheap enough to go on for ever.
 */
export const breakerDefaults = {
  rewritesMax: 10,
  writesMax: 60,
  windowMs: 60_000,
  pauseMs: 60_000,
  pauseMaxMs: 600_000,
} as const;

/** Objects whose status is remembered, about 500 bytes each. */
export const rememberedStatusesMax = 50_000;
