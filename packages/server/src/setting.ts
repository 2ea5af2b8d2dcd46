import { FnletError } from '@fnlet/base';

/** Where a setting comes from, and what it may be. */
export interface Setting {
  /** The flag without dashes, such as `api-port`. */
  readonly flag: string;
  readonly env: string;
  /** A `switch` is a flag without a value. */
  readonly kind: 'port' | 'text' | 'bytes' | 'choice' | 'switch';
  readonly default: string;
  readonly choices?: readonly string[];
  readonly description: string;
}

const mebibyte = 1024 * 1024;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Texts as they came from flags (by flag name) and from the environment (by variable). */
export interface ConfigSource {
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What is given for a setting: a flag wins over the environment, the environment over the default. */
export function readSetting(setting: Setting, source: ConfigSource): Given {
  const flag = source.flags[setting.flag];
  if (flag !== undefined) return { from: `--${setting.flag}`, text: flag };
  const env = source.env[setting.env];
  if (env !== undefined && env !== '') return { from: setting.env, text: env };
  return { from: `--${setting.flag}`, text: setting.default };
}

/** A text, and where it comes from. */
export interface Given {
  readonly from: string;
  readonly text: string;
}

export function parseText(given: Given): string {
  return given.text.trim() === '' ? refuse(given, 'some text') : given.text;
}

/** A URL that paths are put behind: without a slash at its end. */
export function parseHttpUrl(given: Given): string {
  const url = URL.parse(given.text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === null || !isHttp || url.search !== '' || url.hash !== '') {
    return refuse(given, 'a URL such as https://functions.example');
  }
  return given.text.replace(/\/+$/, '');
}

export function parsePort(given: Given): number {
  const port = Number(given.text);
  const isPort = /^\d+$/.test(given.text) && port <= 65_535;
  return isPort ? port : refuse(given, 'a port from 0 to 65535 (0 picks a free one)');
}

export function parsePortOrOff(given: Given): number | undefined {
  return given.text === 'off' ? undefined : parsePort(given);
}

export function parseBytes(given: Given): number {
  const match = /^(\d+)(Ki|Mi)?$/.exec(given.text);
  const unit = { '': 1, Ki: 1024, Mi: mebibyte }[match?.[2] ?? ''] ?? 1;
  const bytes = Number(match?.[1] ?? 0) * unit;
  const isBytes = bytes >= 1 && bytes <= 1024 * mebibyte;
  return isBytes ? bytes : refuse(given, 'a size from 1 byte to 1024Mi, such as 512Ki or 6Mi');
}

export function parseSwitch(given: Given): boolean {
  if (given.text !== 'true' && given.text !== 'false') return refuse(given, 'true or false');
  return given.text === 'true';
}

export function parseLogLevel(given: Given): LogLevel {
  const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
  const level = levels.find((known) => known === given.text);
  return level ?? refuse(given, levels.join(', '));
}

export function refuse(given: Given, expected: string): never {
  throw new FnletError(
    'InvalidConfig',
    `Cannot use ${given.from}: found "${given.text}", expected ${expected}`,
  );
}
