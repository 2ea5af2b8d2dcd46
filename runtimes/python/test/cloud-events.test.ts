/** CloudEvents in all modes become the events that they become in other Runners. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readVectors } from '../../../packages/invocation/test/call-vectors-contract.ts';
import { needsPython } from './python.ts';
import { StartedRunner } from './started-runner.ts';

const styles = ['event', 'kyma', 'kubeless'] as const;

type EventRow = Readonly<Record<(typeof styles)[number], object>> & {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: string;
};

// Bytes as the vectors have them. An event in Python has some keys without a value, which are left
// out here: for JavaScript they are not there.
const files = {
  'handler.py': `
def plain(value):
    if isinstance(value, bytes):
        return {"type": "Buffer", "data": list(value)}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value
def main(event, context):
    said = {name: value for name, value in event.items() if value is not None}
    return plain({name: said[name] for name in said if name not in ("extensions", "tracer")})`,
};

/** What is otherwise in Python: an event without data is one, too. */
const bare = { 'ce-type': 't', 'ce-source': 's', 'ce-datacontenttype': 'application/json' };
const differences: Readonly<Record<string, Readonly<Record<(typeof styles)[number], object>>>> = {
  'binary without a body is none': {
    event: bare,
    kyma: bare,
    kubeless: { ...bare, 'event-type': 't', 'event-namespace': 's' },
  },
};

for (const style of styles) {
  test(`the event of CloudEvents in ${style} style`, needsPython, async () => {
    const compatibility = style === 'event' ? {} : { compatibility: style };
    await using runner = await StartedRunner.start({ files, ...compatibility });
    for (const row of readVectors<EventRow>('cloud-events.json')) {
      const body = Buffer.from(row.text ?? '');
      const headers = { ...row.headers, 'content-length': String(body.length) };
      const answer = await runner.call({ method: 'POST', headers, body });
      const expected = (differences[row.name] ?? row)[style];
      assert.deepEqual(JSON.parse(answer.body), expected, row.name);
    }
  });
}
