// The shape of Kubeless's Node runtime: one process, Express 4 with body parsers, a line of access
// log for every call, the handler run by a script with a timeout, counters by method.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createContext, Script } from 'node:vm';

const [directory, handlerFile, port] = process.argv.slice(2);
const require = createRequire(join(directory, 'index.js'));
const express = require('kubeless-express');
const bodyParser = require('body-parser');
const morgan = require('morgan');
const prometheus = require('prom-client');
const { main } = require(handlerFile);

const labelNames = ['method'];
const calls = new prometheus.Counter({ name: 'function_calls_total', help: 'calls', labelNames });
const duration = new prometheus.Histogram({
  name: 'function_duration_seconds',
  help: 'seconds',
  labelNames,
});
const script = new Script('__handle();');
const context = { 'function-name': 'bench', timeout: '180', runtime: 'nodejs14' };

const app = express();
app.use(morgan('combined'));
app.use(bodyParser.json({ limit: '1mb' }));
app.use(bodyParser.raw({ type: () => true, limit: '1mb' }));
app.all('*', (request, response) => {
  response.header('Access-Control-Allow-Origin', '*');
  const stop = duration.labels(request.method).startTimer();
  calls.labels(request.method).inc();
  const event = {
    'event-type': request.get('event-type'),
    'event-id': request.get('event-id'),
    data: Buffer.isBuffer(request.body) ? request.body.toString('utf8') : request.body,
    extensions: { request, response },
  };
  const __handle = () => {
    Promise.resolve(main(event, context)).then(
      (result) => {
        stop();
        response.end(typeof result === 'object' ? JSON.stringify(result) : result);
      },
      (error) => response.status(500).send(String(error)),
    );
  };
  script.runInNewContext(createContext({ __handle }), { timeout: 180_000 });
});
app.listen(Number(port), '127.0.0.1');
