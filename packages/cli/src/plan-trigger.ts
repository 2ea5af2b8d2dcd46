import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { type SourceFlag, triggerSourceFlags } from './trigger-flags.ts';

/** What every kind of Trigger takes; beside it stand the flags of its source. */
export interface TriggerFlags {
  readonly function?: string;
  readonly tag?: string;
  readonly url?: string;
  readonly toBroker?: string;
  readonly filter?: readonly string[];
  readonly cesql?: string;
  readonly retry?: number;
  readonly orderingKey?: string;
  readonly concurrency?: number;
  readonly deadLetter?: string;
  readonly paused?: boolean;
  readonly [flag: string]: unknown;
}

/**
 * The `spec` of a Trigger as the flags say it; the API says what it thinks of the values.
 *
 * @throws CliError when a flag cannot be read
 */
export function planTrigger(kind: string, flags: TriggerFlags): Readonly<Record<string, unknown>> {
  const filters = planFilters(flags);
  const delivery = planDelivery(flags);
  return {
    source: { [kind]: planSource(triggerSourceFlags[kind]?.flags ?? [], flags) },
    ...(filters.length === 0 ? {} : { filters }),
    target: planTarget(flags),
    ...(Object.keys(delivery).length === 0 ? {} : { delivery }),
    ...(flags.paused === true ? { paused: true } : {}),
  };
}

/** The name under which Commander hands a flag over. */
export function flagName({ usage }: Pick<SourceFlag, 'usage'>): string {
  const [, long = ''] = /--([-a-z]+)/.exec(usage) ?? [];
  return long.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function planSource(known: readonly SourceFlag[], flags: TriggerFlags): object {
  const fields = known.flatMap((flag) => {
    const { field, read = (text: string): unknown => text } = flag;
    const given = flags[flagName(flag)];
    if (typeof given === 'string') return [[field, read(given)] as const];
    if (!Array.isArray(given) || given.length === 0) return [];
    return [[field, given.map(String).map(read)] as const];
  });
  return Object.fromEntries(fields);
}

function planTarget({ function: name, tag, url, toBroker }: TriggerFlags): object {
  const given = [name, url, toBroker].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw new CliError(
      exitCodes.usage,
      `Cannot create Trigger: found ${given.length} targets, expected one`,
      { remedy: 'Give one of --function, --url and --to-broker.' },
    );
  }
  if (url !== undefined) return { url };
  if (toBroker !== undefined) return { broker: toBroker };
  return { function: name, ...(tag === undefined ? {} : { tag }) };
}

function planFilters({ filter = [], cesql }: TriggerFlags): readonly object[] {
  const exact = filter.map((text) => {
    const [, attribute = '', value] = /^([a-z0-9]+)=(.*)$/s.exec(text) ?? [];
    if (value !== undefined) return { exact: { [attribute]: value } };
    throw new CliError(
      exitCodes.usage,
      `Cannot read --filter: found "${text}", expected <attribute>=<value>`,
      { remedy: 'For example: --filter type=com.example.order; more with --cesql' },
    );
  });
  return cesql === undefined ? exact : [...exact, { cesql }];
}

function planDelivery({ retry, orderingKey, concurrency, deadLetter }: TriggerFlags): object {
  const isUrl = deadLetter !== undefined && /^https?:\/\//.test(deadLetter);
  return {
    ...(retry === undefined ? {} : { retry }),
    ...(orderingKey === undefined ? {} : { orderingKey }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(deadLetter === undefined
      ? {}
      : { deadLetter: isUrl ? { url: deadLetter } : { function: deadLetter } }),
  };
}
