/**
 * Streams that were not there when a source looked for them. What is made after that is new, all of
 * it: a source that begins with the newest reads it from its beginning.
 */
import type { Checkpoint } from './source.ts';

/** Remembers that it is not there. */
export async function keepMissing(checkpoint: Checkpoint, place: string): Promise<void> {
  await checkpoint.save({ ...(await checkpoint.load()), missing: place });
}

/** Whether that is the last thing that was seen of it. */
export async function wasMissing(checkpoint: Checkpoint, place: string): Promise<boolean> {
  return (await checkpoint.load())?.missing === place;
}
