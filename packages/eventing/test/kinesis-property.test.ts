import { test } from 'node:test';
import { KinesisLife } from './kinesis-life.ts';

// `SEEDS=1000` for a night; a few are enough to notice most mistakes.
const seeds = Number(process.env.SEEDS ?? 10);
const first = Number(process.env.SEED ?? 1);

for (let seed = first; seed < first + seeds; seed++) {
  test(`records of Kinesis come, in the order of their keys (seed ${seed})`, async () => {
    await new KinesisLife(seed).live(60);
  });
}
