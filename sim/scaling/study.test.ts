import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fnlet/base';
import { formatStudy } from './format-study.ts';
import { drawArrivals } from './load-shape.ts';
import { plotStudy } from './plot-study.ts';
import { Service } from './service-model.ts';
import { type Day, type Manner, runStudy } from './study.ts';

const model = { startSeconds: 2, callSeconds: 0.1, limit: 1, boundSeconds: 0.5 };

test('requests that find an Instance with room are not late', () => {
  const service = new Service(model);
  service.scale(2, -2);
  for (let second = 0; second < 10; second++) service.pass(20, second);
  assert.deepEqual([service.requests, service.late, service.instanceSeconds], [200, 0, 20]);
  assert.equal(service.demand().concurrencyMs, 20_000);
});

test('requests wait in line for those before them, and are late beyond the bound', () => {
  const service = new Service(model);
  service.scale(1, -2);
  service.pass(15, 0);
  assert.equal(service.late, 0, 'the last of them waits for half a second');
  service.pass(10, 1);
  assert.equal(service.late, 0);
  service.pass(15, 2);
  assert.equal(service.late, 15);
  assert.equal(service.demand().queued, 10);
});

test('an Instance takes its time to start, and costs from the beginning', () => {
  const service = new Service(model);
  service.scale(1, 0);
  service.pass(1, 0);
  service.pass(0, 1);
  assert.deepEqual([service.late, service.ready, service.instanceSeconds], [1, 0, 2]);
  service.pass(0, 2);
  assert.deepEqual([service.ready, service.demand().queued], [1, 0]);
  service.scale(0, 3);
  assert.equal(service.instances, 0);
});

test('arrivals have the mean that is asked for', () => {
  const random = seededRandom(7);
  for (const mean of [0.2, 5, 200]) {
    let sum = 0;
    for (let i = 0; i < 5000; i++) sum += drawArrivals(random, mean);
    assert.ok(Math.abs(sum / 5000 - mean) < 0.05 * mean + 0.01, `${sum / 5000} for ${mean}`);
  }
});

test('a study in short: the same days for each manner, drawn and told', () => {
  const days = runStudy({ seed: 3, hours: 0.75 });
  const of = (shape: string, manner: Manner): Day => {
    const found = days.find((day) => day.shape.name === shape && day.manner === manner);
    return found ?? assert.fail(`no ${shape}, ${manner}`);
  };
  assert.equal(of('batches', 'reactive').requests, of('batches', 'fixed').requests);
  assert.ok(of('batches', 'predicted').late < of('batches', 'reactive').late);
  assert.ok(of('batches', 'reactive').instanceSeconds < of('batches', 'fixed').instanceSeconds);
  const table = formatStudy(days);
  assert.equal(table.split('\n').length, 1 + days.length + 1);
  assert.match(table, /^load +Instances +requests +late +late, % +Instance-hours +at most\n/);
  const svg = plotStudy(days);
  assert.equal(svg.match(/class="line predicted"/g)?.length, 4 + 1);
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
  assert.equal(plotStudy(runStudy({ seed: 3, hours: 0.75 })), svg, 'a seed replays equally');
});
