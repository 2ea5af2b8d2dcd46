// The shape of Kyma's Node runtime: one process, Express 5 with its body parsers, an event built
// for every call, a timer for its timeout, calls counted. Not its code: what it makes Node do.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [directory, handlerFile, port] = process.argv.slice(2);
const require = createRequire(join(directory, 'index.js'));
const express = require('express');
const prometheus = require('prom-client');
const { main } = require(handlerFile);

const timeoutMs = 180_000;
const calls = new prometheus.Counter({ name: 'function_calls_total', help: 'calls' });
const duration = new prometheus.Histogram({ name: 'function_duration_miliseconds', help: 'ms' });
const context = { 'function-name': 'bench', namespace: 'default', runtime: 'nodejs24' };

const app = express();
const limit = '1mb';
app.use(express.json({ type: ['application/json', 'application/cloudevents+json'], limit }));
app.use(express.text({ type: ['text/*'], limit }));
app.use(express.urlencoded({ limit, extended: true }));
app.use(express.raw({ type: () => true, limit }));
app.all('/{*path}', async (request, response) => {
  calls.inc();
  response.header('Access-Control-Allow-Origin', '*');
  const stop = duration.startTimer();
  const timer = setTimeout(() => response.status(408).end('Request Timeout'), timeoutMs);
  const event = {
    'ce-type': request.get('ce-type'),
    'ce-source': request.get('ce-source'),
    'ce-id': request.get('ce-id'),
    data: request.body,
    extensions: { request, response },
  };
  try {
    const result = await main(event, context);
    if (typeof result === 'object') response.json(result);
    else response.end(result);
  } catch (error) {
    response.status(500).send(String(error));
  } finally {
    clearTimeout(timer);
    stop();
  }
});
app.listen(Number(port), '127.0.0.1');
