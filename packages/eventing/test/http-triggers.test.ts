import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespace, World } from './world.ts';

test('a Trigger becomes a route, and its status says where that is', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  const paths = [{ prefix: '/api' }];
  await world.apply('shop', { hosts: ['*.example.com', 'shop.example.com'], paths });
  assert.deepEqual(world.taken('shop'), [' *.example.com/api', ' shop.example.com/api']);
  assert.deepEqual(world.routes.get('default/shop')?.target, { namespace, function: 'hello' });
  assert.equal(await world.url('shop'), 'http://shop.example.com:8080/api');
  const ready = await world.ready('shop');
  assert.equal(`${ready?.status} ${ready?.reason}`, 'True Ready');
  assert.equal(ready?.observedGeneration, 1);
  assert.deepEqual(await world.events('shop'), ['Normal Ready']);

  await world.apply('shop', { hosts: ['*.example.com'], methods: ['GET', 'PUT'] });
  assert.deepEqual(world.taken('shop'), ['GET *.example.com/', 'PUT *.example.com/']);
  assert.equal(await world.url('shop'), 'http://*.example.com:8080/');
  await world.delete('shop');
  assert.equal(world.routes.size, 0);
});

test('a Function may come after its Trigger, and go before it', async () => {
  await using world = await World.start();
  await world.apply('shop', { paths: [{ exact: '/a' }] });
  const missing = await world.ready('shop');
  assert.equal(missing?.reason, 'FunctionNotFound');
  assert.match(missing?.message ?? '', /Function "hello" does not exist: create it/);
  assert.equal(world.routes.size, 1);
  assert.equal(await world.url('shop'), 'http://127.0.0.1:8080/a');

  world.told.length = 0;
  await world.createFunction('hello');
  assert.equal((await world.ready('shop'))?.reason, 'Ready');
  await world.functions.delete({ namespace, name: 'hello' });
  await world.cluster.settle();
  assert.equal((await world.ready('shop'))?.reason, 'FunctionNotFound');
  assert.deepEqual(world.told, []);
});

test('a Trigger may lead to a tag, once its Function has that', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.apply('next', {}, { function: 'hello', tag: 'next' });
  const target = { namespace, function: 'hello', tag: 'next' };
  assert.deepEqual(world.routes.get('default/next')?.target, target);
  assert.equal((await world.ready('next'))?.reason, 'TagNotFound');
  const traffic = [{ latest: true, percent: 100, tag: 'next' }];
  const patch = { spec: { traffic } };
  await world.functions.patch({ namespace, name: 'hello' }, { type: 'merge', patch });
  await world.cluster.settle();
  assert.equal((await world.ready('next'))?.reason, 'Ready');
});

test('what two Triggers ask for the older one has, and the other is told by whom', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  const hosts = ['shop.example.com'];
  await world.apply('zebra', { hosts, paths: [{ prefix: '/a' }, { prefix: '/b' }] });
  await world.cluster.advance('2s');
  await world.apply('ant', { hosts, paths: [{ prefix: '/b/' }, { prefix: '/c' }] });
  assert.deepEqual(world.taken('zebra'), [' shop.example.com/a', ' shop.example.com/b']);
  assert.deepEqual(world.taken('ant'), [' shop.example.com/c']);
  assert.equal((await world.ready('zebra'))?.reason, 'Ready');
  const conflict = await world.ready('ant');
  assert.equal(conflict?.reason, 'RouteConflict');
  const holder = 'any method shop.example.com/b/ belongs to the older Trigger default/zebra';
  assert.ok(conflict?.message?.startsWith(`${holder}: change`), conflict?.message);
  assert.deepEqual(await world.events('ant'), ['Warning RouteConflict']);

  await world.apply('zebra', { hosts, paths: [{ prefix: '/a' }] });
  assert.deepEqual(world.taken('ant'), [' shop.example.com/b', ' shop.example.com/c']);
  assert.equal((await world.ready('ant'))?.reason, 'Ready');

  await world.apply('zebra', { hosts, paths: [{ prefix: '/a' }, { prefix: '/c' }] });
  assert.deepEqual(world.taken('ant'), [' shop.example.com/b']);
  await world.delete('zebra');
  assert.deepEqual(world.taken('ant'), [' shop.example.com/b', ' shop.example.com/c']);
});

test('a host is the namespace that asked first, and others are not told by whom', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  const hosts = ['shop.example.com'];
  await world.apply('shop', { hosts, paths: [{ prefix: '/a' }] });
  await world.cluster.advance('2s');
  const wanted = { hosts: [...hosts, 'mine.example.com'], paths: [{ prefix: '/b' }] };
  await world.apply('kube-public/thief', wanted);
  assert.deepEqual(world.taken('kube-public/thief'), [' mine.example.com/b']);
  const conflict = await world.ready('kube-public/thief');
  assert.equal(conflict?.reason, 'RouteConflict');
  const said = 'the host shop.example.com belongs to an older Trigger of another namespace';
  assert.ok(conflict?.message?.startsWith(`${said}: `), conflict?.message);
  // What asked later than it in the namespace of the host goes before it all the same.
  await world.cluster.advance('2s');
  await world.apply('more', { hosts, paths: [{ prefix: '/b' }] });
  assert.deepEqual(world.taken('more'), [' shop.example.com/b']);
  assert.equal((await world.ready('more'))?.reason, 'Ready');

  await world.delete('shop');
  await world.cluster.settle();
  assert.deepEqual(world.taken('more'), []);
  assert.deepEqual(world.taken('kube-public/thief'), [
    ' shop.example.com/b',
    ' mine.example.com/b',
  ]);
  await world.delete('kube-public/thief');
  assert.deepEqual(world.taken('more'), [' shop.example.com/b']);
});

test('methods of one path may belong to several Triggers', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.apply('read', { methods: ['GET', 'POST'] });
  await world.cluster.advance('2s');
  await world.apply('write', { methods: ['POST', 'PUT'] });
  await world.apply('rest', {});
  assert.deepEqual(world.taken('read'), ['GET /', 'POST /']);
  assert.deepEqual(world.taken('write'), ['PUT /']);
  assert.deepEqual(world.taken('rest'), [' /']);
  assert.match((await world.ready('write'))?.message ?? '', /^POST \/ belongs to .*default\/read/);
  assert.equal((await world.ready('rest'))?.reason, 'Ready');
});

test('after a restart all routes stand before anybody can call, and nothing is written', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.apply('a', { hosts: ['a.example.com'] });
  await world.cluster.advance('2s');
  await world.apply('b', { hosts: ['a.example.com', 'b.example.com'] });
  const before = [world.taken('a'), world.taken('b')];
  world.cluster.writes.clear();

  await world.restart();
  await world.listen();
  assert.deepEqual(world.told.slice(0, 2), ['all 2', 'listen']);
  assert.equal(world.told.length, 2);
  assert.deepEqual([world.taken('a'), world.taken('b')], before);
  assert.equal(world.cluster.writes.entries.length, 0);
});

test('what others write into the status is put right', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.apply('shop', {});
  const patch = { status: { url: 'http://elsewhere' } };
  const target = { namespace, name: 'shop' };
  await world.triggers.patch(target, { type: 'merge', patch }, { subresource: 'status' });
  await world.cluster.settle();
  assert.equal(await world.url('shop'), 'http://127.0.0.1:8080/');
});
