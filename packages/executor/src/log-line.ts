export type LogStream = 'stdout' | 'stderr';

/**
 * One line of a log file in the format of the Container Runtime Interface
 * (kubernetes/design-proposals-archive, node/kubelet-cri-logging.md):
 * `<RFC 3339 with nanoseconds> <stream> <F|P> <content>`, where P marks a part of a longer line.
 */
export interface LogLine {
  readonly time: string;
  readonly stream: LogStream;
  readonly partial: boolean;
  readonly content: Uint8Array;
}

const timeLength = '2026-01-01T00:00:00.000000000Z'.length;
// After the time: a space, six letters of the stream, a space, the tag, a space.
const prefixLength = timeLength + ' stdout F '.length;
const tagIndex = prefixLength - 2;
const stderrMark = 'e'.charCodeAt(0);
const partialMark = 'P'.charCodeAt(0);

/** What stands before the content of a line, as text of ASCII characters. */
export function formatLogPrefix(epochMs: number, stream: LogStream, partial: boolean): string {
  const time = new Date(epochMs).toISOString().slice(0, 23);
  return `${time}000000Z ${stream} ${partial ? 'P' : 'F'} `;
}

/** Reads a line without its line feed; `undefined` when it is not one of ours. */
export function parseLogLine(line: Uint8Array): LogLine | undefined {
  if (line.length < prefixLength) return undefined;
  return {
    time: Buffer.from(line.buffer, line.byteOffset, timeLength).toString('latin1'),
    // The fourth letter tells them apart: stdout, stderr.
    stream: line[timeLength + 4] === stderrMark ? 'stderr' : 'stdout',
    partial: line[tagIndex] === partialMark,
    content: line.subarray(prefixLength),
  };
}
