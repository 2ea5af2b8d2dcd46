import { test } from 'node:test';
import { AsyncLife } from './async-life.ts';

for (let seed = 1; seed <= 60; seed++) {
  test(`every call comes to one end, however often the process does (seed ${seed})`, async () => {
    await new AsyncLife(seed).live(100);
  });
}
