/**
 * The Gateway in a process of its own, before one Instance: `_gateway-server.ts <socket> <port>`.
 */
import { setFlagsFromString } from 'node:v8';
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { createGateway } from '@fnlet/gateway';

const [socketPath = '', port] = process.argv.slice(2);
// As `fnlet up` does when its start is over, but while many calls come.
const preferSmallHeap = (): void => setFlagsFromString('--optimize-for-size');
const preferThroughput = (): void => setFlagsFromString('--no-optimize-for-size');
const gateway = createGateway({
  clock: systemClock,
  random: systemRandom,
  logger: silentLogger,
  onDemand: () => {},
  onLoad: (isBusy) => (isBusy ? preferThroughput() : preferSmallHeap()),
});
const revision = 'default/hello-1';
const limits = {
  timeoutMs: 30_000,
  wakeMs: 0,
  bodyBytesMax: 6_000_000,
  concurrencyLimit: 0,
  concurrencyTarget: 0,
};
gateway.setRoute({ namespace: 'default', function: 'hello', revision, ...limits });
gateway.setEndpoints(revision, [{ id: 'hello-1-a', socketPath }]);
await gateway.listen({ host: '127.0.0.1', port: Number(port) });
preferSmallHeap();
