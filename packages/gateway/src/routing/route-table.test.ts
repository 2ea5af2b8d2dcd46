import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '../route.ts';
import { RouteTable } from './route-table.ts';

function route(namespace: string, name: string, revision?: string): Route {
  const limits = {
    timeoutMs: 1000,
    wakeMs: 0,
    bodyBytesMax: 1,
    concurrencyLimit: 0,
    concurrencyTarget: 0,
  };
  return { namespace, function: name, revision, ...limits };
}

function table(...routes: Route[]): RouteTable {
  const all = new RouteTable();
  all.replace(routes);
  return all;
}

test('match() takes namespace and function off the path and nothing else', () => {
  const routes = table(route('a', 'b'));
  const rest = (target: string): string | undefined => routes.match('h', target, false)?.target;
  for (const [target, expected] of [
    ['/a/b', '/'],
    ['/a/b/', '/'],
    ['/a/b?x=/y', '/?x=/y'],
    ['/a/b//c/../d?e', '//c/../d?e'],
    ['/a/bb', undefined],
    ['/a/B', undefined],
    ['/a/%62', '/'],
    ['/%61/%62/%63', '/%63'],
    ['/a%2Fb', undefined],
    ['/a%2Fb/', undefined],
    ['/a/%2562', undefined],
    ['/a', undefined],
    ['/', undefined],
    ['//a/b', undefined],
    ['/a//b', undefined],
    ['/a?/b', undefined],
  ] as const) {
    assert.equal(rest(target), expected, target);
  }
});

test('match() knows a function by the first two labels of the host', () => {
  const routes = table(route('a', 'b'), route('c', 'd'));
  const name = (host: string, target: string): string | undefined =>
    routes.match(host, target, false)?.route.function;
  assert.equal(name('b.a.example:80', '/c/d'), 'b');
  assert.equal(name('B.A', '/'), 'b');
  assert.equal(name('b.a:80', '/'), 'b');
  assert.equal(name('x.a.example', '/c/d'), 'd');
  assert.equal(name('b', '/'), undefined);
  assert.equal(name('127.0.0.1:80', '/c/d'), 'd');
  assert.equal(name('[::1]:80', '/c/d'), 'd');
  assert.equal(name('', '/c/d'), 'd');
});

test('match() knows a tag by path and host, after every function', () => {
  const shares = [{ route: route('a', 'b', 'r2'), percent: 0, tag: 'new' }];
  const routes = table({ ...route('a', 'b', 'r1'), split: { shares } });
  const found = (host: string, target: string): string | undefined => {
    const match = routes.match(host, target, false);
    return match && `${match.route.function} ${match.tag} ${match.target}`;
  };
  assert.equal(found('h', '/a/new-b/x?y'), 'b new /x?y');
  assert.equal(found('NEW-b.a.example:80', '/a/b'), 'b new /a/b');
  assert.equal(found('b.a', '/a/new-b'), 'b undefined /a/new-b');
  assert.equal(found('h', '/a/old-b'), undefined);
  assert.ok(routes.names('r2') && !routes.names('r1'));
  routes.set(route('a', 'new-b'));
  assert.equal(found('h', '/a/new-b'), 'new-b undefined /');
  routes.remove('a', 'new-b');
  routes.set(route('a', 'b', 'r1'));
  assert.equal(found('h', '/a/new-b'), undefined);
  assert.ok(!routes.names('r2'));
});

test('match() gives an address that two tags claim to the later route', () => {
  const split = (tag: string) => ({ shares: [{ route: route('a', 'b', 'r2'), percent: 0, tag }] });
  const routes = table({ ...route('a', 'x-b', 'r1'), split: split('c') });
  routes.set({ ...route('a', 'b', 'r1'), split: split('c-x') });
  assert.equal(routes.match('h', '/a/c-x-b', false)?.route.function, 'b');
  routes.remove('a', 'x-b');
  assert.equal(routes.match('h', '/a/c-x-b', false)?.route.function, 'b');
  routes.remove('a', 'b');
  assert.equal(routes.match('h', '/a/c-x-b', false), undefined);
});

test('match() shows a function that is internal to those inside only, and so its tags', () => {
  const shares = [{ route: route('a', 'b', 'r2'), percent: 0, tag: 'new' }];
  const routes = table({ ...route('a', 'b', 'r1'), internal: true, split: { shares } });
  routes.set(route('c', 'd'));
  const found = (host: string, inside: boolean): string | undefined => {
    const match = routes.match(host, host === 'h' ? '/a/b/x' : '/c/d', inside);
    return match && `${match.route.function} ${match.target}`;
  };
  assert.equal(found('h', true), 'b /x');
  assert.equal(found('h', false), undefined);
  assert.equal(found('b.a', true), 'b /c/d');
  assert.equal(found('new-b.a', true), 'b /c/d');
  assert.equal(found('b.a', false), 'd /');
  assert.equal(found('new-b.a', false), 'd /');
  assert.equal(routes.match('h', '/a/new-b', false), undefined);
  assert.equal(routes.match('h', '/a/new-b', true)?.tag, 'new');
  assert.equal(routes.get('a', 'b')?.internal, true);
});

test('names() knows the Revisions of all routes, whatever came and went', () => {
  const routes = table(route('a', 'b', 'r1'), route('a', 'c', 'r1'));
  assert.equal(routes.set(route('a', 'b', 'r2'))?.revision, 'r1');
  assert.ok(routes.names('r1') && routes.names('r2'));
  assert.equal(routes.remove('a', 'c')?.revision, 'r1');
  assert.ok(!routes.names('r1'));
  routes.replace([route('a', 'd', 'r3')]);
  assert.ok(!routes.names('r2') && routes.names('r3'));
  assert.equal(routes.remove('a', 'nothing'), undefined);
});
