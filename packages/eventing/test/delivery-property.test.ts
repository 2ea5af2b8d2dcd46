import { test } from 'node:test';
import { DeliveryLife } from './delivery-life.ts';

// `SEEDS=1000` for a night; a few are enough to notice most mistakes.
const seeds = Number(process.env.SEEDS ?? 20);
const first = Number(process.env.SEED ?? 1);

for (let seed = first; seed < first + seeds; seed++) {
  test(`what was sent arrives, whatever happens on the way (seed ${seed})`, async () => {
    await new DeliveryLife(seed).live(120);
  });
}
