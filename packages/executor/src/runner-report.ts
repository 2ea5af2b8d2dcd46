import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { LoadFailure, RunnerReport } from '@fnlet/invocation';

const failureCodes: readonly LoadFailure['code'][] = [
  'SyntaxError',
  'MissingExport',
  'MissingModule',
  'LoadError',
  'EntryNotFound',
];

/**
 * Reads one line of a control channel. The Runner shares its process with user code, so nothing it
 * says is trusted; `undefined` is what this version does not know.
 */
export function parseRunnerReport(line: string): RunnerReport | undefined {
  const report = tryParseJson(line);
  if (!isJsonObject(report)) return undefined;
  switch (report.type) {
    case 'warm':
      return isPort(report.port) ? { type: 'warm', port: report.port } : undefined;
    case 'expecting':
      return { type: 'expecting' };
    case 'loading':
      return typeof report.file === 'string' ? { type: 'loading', file: report.file } : undefined;
    case 'ready':
      return { type: 'ready', loadMs: toNumber(report.loadMs) ?? 0 };
    case 'failed':
      return { type: 'failed', failure: parseLoadFailure(report.failure) };
    default:
      return undefined;
  }
}

/** Reads why code could not be loaded; what is missing is filled in. */
export function parseLoadFailure(value: unknown): LoadFailure {
  const failure: JsonObject = isJsonObject(value) ? value : {};
  const text = (key: string): string | undefined => {
    const field = failure[key];
    return typeof field === 'string' ? field : undefined;
  };
  const [file, stack] = [text('file'), text('stack')];
  const [line, column] = [toNumber(failure.line), toNumber(failure.column)];
  return {
    code: failureCodes.find((code) => code === failure.code) ?? 'LoadError',
    message: text('message') ?? 'the code could not be loaded',
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(stack === undefined ? {} : { stack }),
  };
}

function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536;
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
