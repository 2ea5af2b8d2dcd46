import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { HttpMatch, HttpRoute } from './http-route.ts';
import { HttpRouteTable, type HttpRouting } from './http-route-table.ts';
import { formatRoutePath, parseRoutePath, type WrittenPath } from './route-path.ts';

type Written = { [K in WrittenPath['kind']]?: string };

function match(host: string, written: Written, ...methods: string[]): HttpMatch {
  const [[kind, text] = ['prefix', '/']] = Object.entries(written);
  assert.ok(kind === 'exact' || kind === 'prefix' || kind === 'pattern');
  return { host, path: parseRoutePath({ kind, text }), methods };
}

function route(id: string, ...matches: HttpMatch[]): HttpRoute {
  return { id, matches, target: { namespace: 'a', function: id } };
}

function tableOf(...routes: HttpRoute[]): HttpRouteTable {
  const table = new HttpRouteTable();
  for (const each of routes) table.set(each);
  return table;
}

/** Id of the route that a request takes, or why it takes none. */
function ask(table: HttpRouteTable, host: string, asking: string): string {
  const [, method = 'GET', path = ''] = /^(?:([A-Z]+) )?(.*)$/.exec(asking) ?? [];
  const asked = { path, anyHost: true };
  const routing = table.matchHost(host, asked, method) ?? table.matchAny(path, method);
  return told(routing);
}

function told(routing: HttpRouting): string {
  if (routing.kind === 'method') return [...routing.takers.keys()].sort().join();
  return routing.kind === 'route' ? routing.taker.route.id : routing.kind;
}

test('the host itself goes before the longest wildcard, and that before any host', () => {
  const table = tableOf(
    route('own', match('shop.example.com', { prefix: '/a' })),
    route('long', match('*.shop.example.com', { prefix: '/' })),
    route('short', match('*.example.com', { prefix: '/' })),
    route('any', match('', { prefix: '/any' })),
  );
  assert.equal(ask(table, 'shop.example.com', '/a/b'), 'own');
  assert.equal(ask(table, 'shop.example.com', '/b'), 'short');
  assert.equal(ask(table, 'x.shop.example.com', '/b'), 'long');
  assert.equal(ask(table, 'y.x.shop.example.com', '/b'), 'long');
  assert.equal(ask(table, 'example.com', '/b'), 'none');
  assert.equal(ask(table, 'example.com', '/any'), 'any');
  assert.equal(ask(table, '.example.com', '/b'), 'none');
  assert.equal(ask(table, '', '/any/x'), 'any');
});

test('a host is the same in any case, with a port and with the dot of a complete name', () => {
  const table = tableOf(
    route('own', match('shop.example.com', { prefix: '/' })),
    route('ip', match('[::1]', { prefix: '/' })),
    route('any', match('', { prefix: '/' })),
  );
  for (const host of ['SHOP.example.COM', 'shop.example.com:8080', 'shop.example.com.:1']) {
    assert.equal(ask(table, host, '/'), 'own', host);
  }
  assert.equal(ask(table, '[::1]:80', '/'), 'ip');
  for (const host of ['shop.example.com..', 'shop.example.co', `${'a.'.repeat(10_000)}com`]) {
    assert.equal(ask(table, host, '/'), 'any', host);
  }
});

test('what is written out goes before a parameter, that before the rest, that before a prefix', () => {
  const table = tableOf(
    route('root', match('', { prefix: '/' })),
    route('exact', match('', { exact: '/a/b' })),
    route('deep', match('', { prefix: '/a/b/c' })),
    route('id', match('', { pattern: '/a/{id}' })),
    route('id-c', match('', { pattern: '/a/{id}/c' })),
    route('rest', match('', { pattern: '/a/{rest...}' })),
    route('slash', match('', { exact: '/s/' })),
  );
  for (const [path, expected] of [
    ['/a/b', 'exact'],
    ['/a/x', 'id'],
    ['/a/b/c', 'deep'],
    ['/a/b/c/d', 'deep'],
    ['/a/b/cc', 'rest'],
    ['/a/x/c', 'id-c'],
    ['/a/', 'rest'],
    ['/a', 'root'],
    ['/ab', 'root'],
    ['/', 'root'],
    ['/s/', 'slash'],
    ['/s', 'root'],
    ['/A/b', 'root'],
  ] as const) {
    assert.equal(ask(table, 'h', path), expected, path);
  }
});

test('a path decides before the method: what guards it guards it against all methods', () => {
  const table = tableOf(
    route('read', match('', { prefix: '/a' }, 'GET')),
    route('write', match('', { prefix: '/a' }, 'PUT', 'POST')),
    route('all', match('', { prefix: '/' })),
    route('others', match('', { prefix: '/b' })),
    route('post', match('', { prefix: '/b' }, 'POST')),
  );
  assert.equal(ask(table, 'h', 'GET /a'), 'read');
  assert.equal(ask(table, 'h', 'HEAD /a'), 'read');
  assert.equal(ask(table, 'h', 'POST /a'), 'write');
  assert.equal(ask(table, 'h', 'DELETE /a'), 'GET,POST,PUT');
  assert.equal(ask(table, 'h', 'POST /b'), 'post');
  assert.equal(ask(table, 'h', 'PURGE /b'), 'others');
});

test('parameters are told as they came, and how much of the path matched', () => {
  const table = tableOf(
    route('a', match('', { pattern: '/u/{id}/files/{path...}' })),
    route('p', match('', { prefix: '/p' })),
  );
  const found = (path: string): unknown => {
    const routing = table.matchAny(path, 'GET');
    assert.ok(routing.kind === 'route');
    return [...routing.match.values, path.slice(routing.match.length)];
  };
  assert.deepEqual(found('/u/J%C3%B6rg/files/a/b%20c'), ['J%C3%B6rg', 'a/b%20c', '/a/b%20c']);
  assert.deepEqual(found('/u/7/files/'), ['7', '', '/']);
  assert.deepEqual(found('/p/x'), ['/x']);
  assert.deepEqual(found('/p'), ['']);
});

// Who reads a path otherwise, such as a URL parser in a function, must not get to see another one.
test('no spelling of a path gets around the route that guards it', () => {
  const table = tableOf(
    route('open', match('', { prefix: '/' })),
    route('guarded', match('', { prefix: '/admin' })),
    route('user', match('', { pattern: '/users/{id}' })),
  );
  for (const [path, expected] of [
    ['/admin', 'guarded'],
    ['/%61dmin', 'guarded'],
    ['/%61%64%6D%69%6e/x', 'guarded'],
    ['/admin/%2561', 'guarded'],
    ['/admin//x', 'guarded'],
    ['/admin/a%2Fb', 'guarded'],
    ['/Admin', 'open'],
    ['/x//y', 'open'],
    ['/x%2fy', 'open'],
    ['/.well-known/x', 'open'],
    ['/x/...', 'open'],
    ['/x/.a/..b/c.', 'open'],
    ['/100%', 'open'],
    ['/%2561dmin', 'open'],
    ['/users/a%20b', 'user'],
    ['//admin', 'ambiguous'],
    ['/\\admin', 'ambiguous'],
    ['/%2fadmin', 'ambiguous'],
    ['/%5Cadmin', 'ambiguous'],
    ['/%2F%61dmin/x', 'ambiguous'],
    ['/x/../admin', 'ambiguous'],
    ['/x/%2e%2e/admin', 'ambiguous'],
    ['/x/.%2E/admin', 'ambiguous'],
    ['/x\\..\\admin', 'ambiguous'],
    ['/x%2f..%2Fadmin', 'ambiguous'],
    ['/x/..', 'ambiguous'],
    ['/./admin', 'ambiguous'],
    ['/admin%00', 'ambiguous'],
    ['/admin%2fx', 'ambiguous'],
    ['/admin\\x', 'ambiguous'],
    ['/users/a%2Fb', 'ambiguous'],
  ] as const) {
    assert.equal(ask(table, 'h', path), expected, path);
  }
  assert.equal(ask(tableOf(route('u', match('', { pattern: '/u/{id}' }))), 'h', '/u/a%2Fb'), 'u');
});

test('setting a route again takes back what it no longer names', () => {
  const table = tableOf(route('a', match('x.y', { prefix: '/a' }), match('*.z', { prefix: '/' })));
  table.set(route('a', match('x.y', { prefix: '/b' })));
  assert.equal(ask(table, 'x.y', '/a'), 'none');
  assert.equal(ask(table, 'x.y', '/b'), 'a');
  assert.equal(table.matchHost('w.z', { path: '/', anyHost: true }, 'GET'), undefined);
  table.remove('a');
  table.remove('a');
  assert.equal(table.size, 0);
  assert.equal(table.matchHost('x.y', { path: '/b', anyHost: true }, 'GET'), undefined);
});

test('a path that another route has got since stays with it', () => {
  const table = tableOf(route('old', match('x.y', { prefix: '/a' }, 'GET')));
  table.set(route('new', match('x.y', { prefix: '/a' }, 'GET')));
  table.remove('old');
  assert.equal(ask(table, 'x.y', '/a'), 'new');
});

const segments = ['', 'a', 'b', 'c%20d', '{p}', '{q}'] as const;
const hosts = ['', 'x.y', 'w.x.y', '*.y', '*.x.y'] as const;

const someMatch: fc.Arbitrary<HttpMatch> = fc
  .record({
    host: fc.constantFrom(...hosts),
    kind: fc.constantFrom<WrittenPath['kind']>('exact', 'prefix', 'pattern'),
    path: fc.array(fc.constantFrom(...segments), { maxLength: 4 }),
    isOpen: fc.boolean(),
    methods: fc.constantFrom<string[]>([], ['GET'], ['POST'], ['GET', 'POST']),
  })
  .map(({ host, kind, path, isOpen, methods }) => {
    const rest = kind === 'pattern' && isOpen ? ['{r...}'] : [];
    return {
      host,
      methods,
      path: parseRoutePath({ kind, text: `/${[...path, ...rest].join('/')}` }),
    };
  });

const someRoute = fc
  .record({
    id: fc.constantFrom('1', '2', '3', '4', '5', '6'),
    matches: fc.array(someMatch, { minLength: 1, maxLength: 3 }),
  })
  .map(({ id, matches }) => route(id, ...matches));

const someRequest = fc.record({
  host: fc.constantFrom('x.y', 'w.x.y', 'v.y', 'v.w.x.y', 'other'),
  path: fc
    .array(fc.constantFrom('', 'a', 'b', 'c%20d', '%61', 'z'), { minLength: 1, maxLength: 5 })
    .map((parts) => `/${parts.join('/')}`)
    .filter((path) => !path.includes('//')),
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT'),
});

/** The same by looking at everything, as the rules say it. */
function askAll(
  routes: readonly HttpRoute[],
  { host, path, method }: { host: string; path: string; method: string },
): string {
  const taking = routes
    .flatMap((each) => each.matches.map((one) => ({ id: each.id, match: one })))
    .filter(({ match: one }) => takesHost(one.host, host) && takesPath(one, path))
    .sort((one, other) => compare(rank(one.match), rank(other.match)));
  const [best] = taking;
  if (best === undefined) return 'none';
  const rivals = taking.filter((each) => compare(rank(each.match), rank(best.match)) === 0);
  const named = rivals.find(({ match: { methods } }) => methods.includes(method));
  const others = rivals.find(({ match: { methods } }) => methods.length === 0);
  const get = method === 'HEAD' ? rivals.find((each) => each.match.methods.includes('GET')) : named;
  const methods = new Set(rivals.flatMap((each) => each.match.methods));
  return (named ?? others ?? get)?.id ?? [...methods].sort().join();
}

function takesHost(pattern: string, host: string): boolean {
  return (
    pattern === '' || pattern === host || (/^\*/.test(pattern) && host.endsWith(pattern.slice(1)))
  );
}

function takesPath({ path }: HttpMatch, asked: string): boolean {
  const parts = asked.slice(1).split('/').map(decodeURIComponent);
  const own = path.segments.every((segment, index) =>
    segment === undefined ? Boolean(parts[index]) : segment === parts[index],
  );
  if (path.end === 'exact') return own && parts.length === path.segments.length;
  return own && (path.end === 'prefix' || parts.length > path.segments.length);
}

function rank({ host, path }: HttpMatch): number[] {
  const hostRank = host === '' ? 1000 : host.startsWith('*') ? 500 - host.length : 0;
  const ends = { exact: -1, rest: 2, prefix: 3 };
  return [
    hostRank,
    ...path.segments.map((segment) => (segment === undefined ? 1 : 0)),
    ends[path.end],
  ];
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

function slotsOf({ matches }: HttpRoute): string[] {
  return matches.flatMap(({ host, path, methods }) =>
    (methods.length === 0 ? ['*'] : methods).map((method) =>
      [host, formatRoutePath(path), method].join(' '),
    ),
  );
}

test('after any changes the table says what looking at every route says', () => {
  const change = fc.oneof(
    { weight: 5, arbitrary: fc.record({ set: someRoute }) },
    { weight: 2, arbitrary: fc.record({ remove: fc.constantFrom('1', '2', '3', '4') }) },
    { weight: 1, arbitrary: fc.record({ replace: fc.array(someRoute, { maxLength: 4 }) }) },
  );
  const property = fc.property(
    fc.array(change, { maxLength: 12 }),
    fc.array(someRequest, { minLength: 10, maxLength: 30 }),
    (changes, requests) => {
      const table = new HttpRouteTable();
      let routes: readonly HttpRoute[] = [];
      const without = (id: string): readonly HttpRoute[] => routes.filter((each) => each.id !== id);
      const fits = (fresh: HttpRoute): boolean => {
        const taken = new Set(without(fresh.id).flatMap(slotsOf));
        const own = slotsOf(fresh);
        return new Set(own).size === own.length && !own.some((slot) => taken.has(slot));
      };
      for (const each of changes) {
        if ('set' in each && fits(each.set)) {
          table.set(each.set);
          routes = [...without(each.set.id), each.set];
        } else if ('remove' in each) {
          table.remove(each.remove);
          routes = without(each.remove);
        } else if ('replace' in each) {
          routes = [];
          for (const fresh of each.replace) {
            if (fits(fresh)) routes = [...without(fresh.id), fresh];
          }
          table.replace(routes);
        }
      }
      assert.equal(table.size, routes.length);
      for (const request of requests) {
        const { host, path, method } = request;
        assert.equal(ask(table, host, `${method} ${path}`), askAll(routes, request));
      }
    },
  );
  fc.assert(property, { numRuns: 300 });
});
