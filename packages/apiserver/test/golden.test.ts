import { it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { normalise } from './golden-form.ts';
import { readGolden, replay, reportOutcomes } from './golden-replay.ts';
import { widgetSteps } from './golden-widget-steps.ts';
import { openServer } from './opened-server.ts';

const file = 'golden-0.36.json';

it('answers as kube-apiserver 0.36 recorded', async (t) => {
  const exchanges = readGolden(file);
  if (exchanges === undefined) return t.skip('the shared vectors are not there');
  const clock = new VirtualClock();
  await using server = await openServer({ clock });
  const pause = (): Promise<void> => clock.advance(100);
  const outcomes = await replay(server, exchanges, { normalise, pause, ...widgetSteps('default') });
  reportOutcomes(outcomes, file, (text) => t.diagnostic(text));
});
