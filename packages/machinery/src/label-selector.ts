import { MachineryError } from './machinery-error.ts';
import { labelValueProblems, qualifiedNameProblems } from './names.ts';

/** How a label is compared; the words of k8s.io/apimachinery's selection package. */
export type LabelOperator = '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** One condition on one label. `values` is sorted; empty for `exists` and `!`. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** Selects the objects whose labels meet every requirement; without any, it selects everything. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
}

/** A selector as objects hold it (meta/v1 LabelSelector). */
export interface LabelSelectorSpec {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[] | undefined;
  }[];
}

/**
 * Whether labels meet the selector. As in Kubernetes, `!=` and `notin` also select objects that do
 * not have the label, and `gt` and `lt` only those whose label is an integer.
 */
export function matchesLabels(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return selector.requirements.every((requirement) => {
    const { key } = requirement;
    const own = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
    return meets(requirement, own);
  });
}

function meets({ operator, values }: LabelRequirement, label: string | undefined): boolean {
  switch (operator) {
    case '=':
    case 'in':
      return label !== undefined && values.includes(label);
    case '!=':
    case 'notin':
      return label === undefined || !values.includes(label);
    case 'exists':
      return label !== undefined;
    case '!':
      return label === undefined;
    case 'gt':
    case 'lt': {
      const [left, right] = [integer(label), integer(values[0])];
      if (left === undefined || right === undefined) return false;
      return operator === 'gt' ? left > right : left < right;
    }
  }
}

function integer(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[+-]?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
}

/** The text of a selector; {@link parseLabelSelector} reads it back. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector.requirements.map(formatRequirement).join(',');
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`;
    case 'gt':
      return `${key}>${values[0] ?? ''}`;
    case 'lt':
      return `${key}<${values[0] ?? ''}`;
    default:
      return `${key}${operator}${values[0] ?? ''}`;
  }
}

const specOperators: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/**
 * The selector that an object's `selector` field means. An empty one selects everything.
 *
 * @throws MachineryError `InvalidSelector`
 */
export function labelSelectorFromSpec(spec: LabelSelectorSpec): LabelSelector {
  const equal = Object.entries(spec.matchLabels ?? {}).map(([key, value]) =>
    labelRequirement({ key, operator: '=', values: [value] }),
  );
  const expressions = (spec.matchExpressions ?? []).map(({ key, operator, values }) => {
    const known = Object.hasOwn(specOperators, operator) ? specOperators[operator] : undefined;
    if (known === undefined) {
      throw invalidSelector(`"${operator}" is not a valid label selector operator`);
    }
    return labelRequirement({ key, operator: known, values: values ?? [] });
  });
  return labelSelector([...equal, ...expressions]);
}

/**
 * Reads a selector as kubectl's `-l` and the `labelSelector` parameter write it: `a=b`, `a==b`,
 * `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, `a>1`, `a<1`, joined by commas. The empty text
 * selects everything.
 *
 * @throws MachineryError `InvalidSelector`, with the text that Kubernetes answers
 */
export function parseLabelSelector(text: string): LabelSelector {
  const tokens = new Tokens(text);
  const requirements: LabelRequirement[] = [];
  if (tokens.peek() === end) return labelSelector([]);
  if (!isIdentifier(tokens.peek()) && tokens.peek() !== '!') {
    throw invalidSelector(`found '${tokens.peek()}', expected: !, identifier, or 'end of string'`);
  }
  while (true) {
    requirements.push(parseRequirement(tokens));
    const token = tokens.take();
    if (token === end) return labelSelector(requirements);
    if (token !== ',') {
      throw invalidSelector(`found '${token}', expected: ',' or 'end of string'`);
    }
    const next = tokens.peek();
    if (!isIdentifier(next) && next !== '!') {
      throw invalidSelector(`found '${next}', expected: identifier after ','`);
    }
  }
}

const end = '';
const symbols: ReadonlySet<string> = new Set(['=', '==', '!=', '!', '(', ')', ',', '<', '>']);

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ['=', '='],
  ['==', '='],
  ['!=', '!='],
  ['in', 'in'],
  ['notin', 'notin'],
  ['>', 'gt'],
  ['<', 'lt'],
]);

function isIdentifier(token: string): boolean {
  return token !== end && !symbols.has(token);
}

/** The words and signs of a selector, one after the other; then `end` for ever. */
class Tokens {
  readonly #tokens: readonly string[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = text.match(/==|!=|[=!(),<>]|[^=!(),<>\s]+/g) ?? [];
  }

  peek(): string {
    return this.#tokens[this.#position] ?? end;
  }

  take(): string {
    const token = this.peek();
    this.#position++;
    return token;
  }
}

function parseRequirement(tokens: Tokens): LabelRequirement {
  const negated = tokens.peek() === '!';
  if (negated) tokens.take();
  const key = tokens.take();
  if (!isIdentifier(key)) throw unreadable(`found '${key}', expected: identifier`);
  const problems = qualifiedNameProblems(key);
  if (problems.length > 0) throw unreadable(invalidValue('<nil>', key, problems.join('; ')));
  if (negated) return labelRequirement({ key, operator: '!', values: [] });
  if (tokens.peek() === end || tokens.peek() === ',')
    return labelRequirement({ key, operator: 'exists', values: [] });
  const sign = tokens.take();
  const operator = operators.get(sign);
  if (operator === undefined) {
    throw unreadable(`found '${sign}', expected: in, notin, =, ==, !=, gt, lt`);
  }
  const isSet = operator === 'in' || operator === 'notin';
  const values = isSet ? parseValues(tokens) : [parseExactValue(tokens)];
  return labelRequirement({ key, operator, values }, unreadable);
}

function parseExactValue(tokens: Tokens): string {
  if (tokens.peek() === end || tokens.peek() === ',') return '';
  const value = tokens.take();
  if (!isIdentifier(value)) throw unreadable(`found '${value}', expected: identifier`);
  return value;
}

/** `(a,b)`; an empty place stands for the empty value, also where it is all that there is. */
function parseValues(tokens: Tokens): readonly string[] {
  const open = tokens.take();
  if (open !== '(') throw unreadable(`found '${open}' expected: '('`);
  if (tokens.peek() === ')') {
    tokens.take();
    return [''];
  }
  const values: string[] = [];
  while (true) {
    const next = tokens.peek();
    if (isIdentifier(next)) values.push(tokens.take());
    else if (next === ',' || next === ')') values.push('');
    else throw unreadable(`found '${next}', expected: ',', ')' or identifier`);
    const separator = tokens.take();
    if (separator === ')') return values;
    if (separator !== ',') throw unreadable(`found '${separator}', expected: ',' or ')'`);
  }
}

function labelSelector(requirements: readonly LabelRequirement[]): LabelSelector {
  // One text per selector: Kubernetes sorts by key, too.
  return { requirements: requirements.toSorted((a, b) => (a.key < b.key ? -1 : +(a.key > b.key))) };
}

/** A checked requirement: what apimachinery's labels.NewRequirement accepts. */
function labelRequirement(
  { key, operator, values }: LabelRequirement,
  fail: (problem: string) => MachineryError = invalidSelector,
): LabelRequirement {
  const problems = [
    ...qualifiedNameProblems(key).map((problem) => invalidValue('key', key, problem)),
    ...valueCountProblems(operator, values),
    ...values.flatMap((value, index) => {
      const problems = labelValueProblems(value);
      return problems.length === 0
        ? []
        : [invalidValue(`values[${index}][${key}]`, value, problems.join('; '))];
    }),
  ];
  if (problems.length > 0) {
    throw fail(problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`);
  }
  return { key, operator, values: [...new Set(values)].sort() };
}

function valueCountProblems(operator: LabelOperator, values: readonly string[]): string[] {
  const found = JSON.stringify(values);
  if (operator === 'in' || operator === 'notin') {
    if (values.length > 0) return [];
    const text = "for 'in', 'notin' operators, values set can't be empty";
    return [`values: Invalid value: ${found}: ${text}`];
  }
  if (operator === 'exists' || operator === '!') {
    if (values.length === 0) return [];
    const text = 'values set must be empty for exists and does not exist';
    return [`values: Invalid value: ${found}: ${text}`];
  }
  if (operator === 'gt' || operator === 'lt') {
    if (integer(values[0]) !== undefined) return [];
    const text = "for 'Gt', 'Lt' operators, the value must be an integer";
    return [invalidValue('values[0]', values[0] ?? '', text)];
  }
  return [];
}

function invalidValue(field: string, value: string, problem: string): string {
  return `${field}: Invalid value: ${JSON.stringify(value)}: ${problem}`;
}

function invalidSelector(problem: string): MachineryError {
  return new MachineryError('InvalidSelector', problem, {
    remedy: 'Write it like app=web,tier in (a,b),!old',
  });
}

function unreadable(problem: string): MachineryError {
  return invalidSelector(`unable to parse requirement: ${problem}`);
}
