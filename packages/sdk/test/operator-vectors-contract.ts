import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** A call of a hub and what comes of it; vectors/README.md has the fields. */
export interface OperatorCallRow {
  readonly name: string;
  /** The body to send. */
  readonly body: string;
  readonly status: number;
  /** The whole answer, but for the texts that `matches` is about. */
  readonly answer: object | undefined;
  readonly matches: Readonly<Record<string, string>>;
  /** Of a refusal: what its text has to match. */
  readonly says: string;
}

interface VectorFile {
  readonly defaults: Readonly<Record<string, unknown>> & { readonly object: object };
  readonly rows: readonly {
    readonly name: string;
    readonly spec?: object;
    readonly call?: Readonly<Record<string, unknown>>;
    readonly map?: object;
    readonly text?: string;
    readonly status?: number;
    readonly answer?: object;
    readonly matches?: Readonly<Record<string, string>>;
    readonly says?: string;
  }[];
}

/** The calls that every Runner answers alike. */
export function operatorCallRows(): OperatorCallRow[] {
  const { defaults, rows } = readVectorFile<VectorFile>('operator-calls.json');
  return rows.map(({ name, spec = {}, call = {}, map, text, ...expected }) => {
    const { contract, operator } = defaults;
    const whole =
      map === undefined
        ? { ...defaults, object: { ...defaults.object, spec }, ...call }
        : { contract, operator, what: 'map', ...map };
    const sent = Object.entries(whole).filter(([, value]) => value !== null);
    return {
      name,
      body: text ?? JSON.stringify(Object.fromEntries(sent)),
      status: expected.status ?? 200,
      answer: expected.answer,
      matches: expected.matches ?? {},
      says: expected.says ?? '',
    };
  });
}

/** An answer with the texts that a row is about put aside: what is left, and those texts. */
export function apart(
  row: Pick<OperatorCallRow, 'matches'>,
  answer: unknown,
): {
  readonly rest: unknown;
  readonly texts: readonly (readonly [pattern: RegExp, text: string])[];
} {
  const texts: [RegExp, string][] = [];
  const rest: unknown = JSON.parse(JSON.stringify(answer));
  for (const [path, pattern] of Object.entries(row.matches)) {
    const steps = path.split('.');
    const last = steps.pop() ?? '';
    const owner = steps.reduce((value: unknown, step) => Reflect.get(Object(value), step), rest);
    texts.push([new RegExp(pattern), String(Reflect.get(Object(owner), last))]);
    Reflect.deleteProperty(Object(owner), last);
  }
  return { rest, texts };
}

/** Rows of a file of vectors: the type is the file's own word. */
export function readVectorFile<T>(file: string): T {
  const read: T = JSON.parse(readFileSync(new URL(`./vectors/${file}`, import.meta.url), 'utf8'));
  return read;
}

/** A Runner that has the contract's operator, as far as it is called here. */
interface CalledRunner {
  call(options: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }): Promise<{
    readonly status: number;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: string;
  }>;
}

/** Every row, sent to a Runner over HTTP as a hub does. */
export async function callAsHub(runner: CalledRunner): Promise<void> {
  for (const row of operatorCallRows()) {
    const { status, body, headers } = await runner.call({
      method: 'POST',
      headers: { 'content-type': 'application/json', 'fnlet-operator-contract': '1' },
      body: row.body,
    });
    assert.equal(status, row.status, `${row.name}: ${body}`);
    if (status !== 200) {
      assert.match(body, new RegExp(row.says), row.name);
      continue;
    }
    assert.match(String(headers['content-type']), /^application\/json/, row.name);
    const { rest, texts } = apart(row, JSON.parse(body));
    assert.deepEqual(rest, row.answer, row.name);
    for (const [pattern, text] of texts) assert.match(text, pattern, row.name);
  }
}
