/**
 * A program for the crash test: appends events to the log in the directory of its first argument
 * and delivers them, until it is killed; with a second argument it only delivers, and ends when all
 * is settled. It prints a line for whatever happened: an append that was acknowledged, a try that
 * began, a try that the target took or not.
 */
import { argv, stdout } from 'node:process';
import { resolveDelivery } from '@fnlet/api';
import { randomInt, silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { openLmdbLog } from '@fnlet/store/log';
import { DeadLetters } from '../src/dead-letters/dead-letters.ts';
import { Delivery } from '../src/delivery/delivery.ts';
import { packEvent } from '../src/event/packed-event.ts';
import { answerOf, eventOf } from './delivery-world.ts';

const [directory = '', round = '', mode] = argv.slice(2);
const log = await openLmdbLog({ directory });
const stream = await log.stream('trigger/1');
const letters = await DeadLetters.open(log, '1', systemClock);
/** Resolves once it is with the other process: what is told then is not lost with this one. */
const tell = (...words: readonly (string | number)[]): Promise<void> =>
  new Promise((resolve) => void stdout.write(`${words.join(' ')}\n`, () => resolve()));

const delivery = new Delivery({
  owner: '1',
  stream,
  consumer: await stream.consumer('delivery'),
  target: {
    async deliver({ events }) {
      const { id = '', subject } = events[0]?.attributes ?? {};
      await tell('begin', id);
      const status = subject === 'poison' ? 400 : randomInt(systemRandom, 10) === 0 ? 500 : 200;
      await tell(status === 200 ? 'taken' : 'failed', id);
      return answerOf(status);
    },
  },
  policy: resolveDelivery({ orderingKey: 'subject', retry: 5, backoffDelay: '5ms' }),
  keyOf: ({ attributes: { subject } }) => subject,
  removes: true,
  giveUp: (event) => letters.bury(event, { trigger: 'default/t', destination: 'f' }),
  clock: systemClock,
  random: systemRandom,
  logger: silentLogger,
  limits: { removeRecords: 50 },
});
const stop = new AbortController();
const running = delivery.run(stop.signal);

async function send(sender: number): Promise<never> {
  for (let n = 0; ; n++) {
    const key = n % 20 === 0 ? 'poison' : `key-${n % 5}`;
    const id = `${round}-${sender}-${n}`;
    const { sequences } = await stream.append([{ payload: packEvent(eventOf(id, key)) }]);
    await tell('sent', id, key, sequences[0] ?? 0);
  }
}

if (mode === undefined) await Promise.all(Array.from({ length: 4 }, (_, n) => send(n)));
// Timers of the clock do not keep a process alive.
while ((await delivery.state()).lag > 0) await new Promise((resolve) => setImmediate(resolve));
stop.abort();
await running;
await log.close();
