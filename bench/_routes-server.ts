/**
 * A Gateway in a process of its own with 10 000 Functions and as many routes, one of which leads to
 * an Instance: `_routes-server.ts <socket>`. Tells its port; told how many routes are to change per
 * second, it changes so many from then on.
 */
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { createGateway } from '@fnlet/gateway';
import { benchHttpRoute, benchRoute, routesCount } from './_routes.ts';

const [socketPath = ''] = process.argv.slice(2);
const gateway = createGateway({
  clock: systemClock,
  random: systemRandom,
  logger: silentLogger,
  onDemand: () => {},
});
const indexes = Array.from({ length: routesCount }, (_, index) => index);
gateway.setRoutes(indexes.map(benchRoute));
gateway.setHttpRoutes(indexes.map((index) => benchHttpRoute(index)));
const called = benchRoute(0).revision ?? '';
gateway.setEndpoints(called, [{ id: 'f0-1-a', socketPath }]);
const { port } = await gateway.listen({ host: '127.0.0.1', port: 0 });

const tickMs = 10;
let changesPerSecond = 0;
let changes = 0;

/** Another path for a route, or none, or the first again; not for the one that is called. */
function change(): void {
  changes++;
  const index = 1 + (changes % (routesCount - 1));
  const kind = changes % 3;
  if (kind === 0) gateway.removeHttpRoute(benchHttpRoute(index).id);
  else gateway.setHttpRoute(benchHttpRoute(index, kind === 1 ? '/changed' : undefined));
}

setInterval(() => {
  for (let n = 0; n < (changesPerSecond * tickMs) / 1000; n++) change();
}, tickMs);
process.on('message', (told) => {
  changesPerSecond = Number(told);
});
process.send?.(port);
