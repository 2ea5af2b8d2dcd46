import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * From now on the stack of an error names the source files of a bundle, at their lines. Node's own
 * way (`process.setSourceMapsEnabled`) reads the map of every file that is loaded; here a map is
 * read when a stack leads through its file.
 *
 * @param {string} root URL of the directory of the bundle, with a slash at its end
 */
export function tellSources(root) {
  const maps = new Map();
  const mapOf = (url) => {
    if (!maps.has(url)) maps.set(url, readMap(url));
    return maps.get(url);
  };
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) => `\n    at ${describeFrame(frame, root, mapOf)}`);
    return `${describeError(error)}${lines.join('')}`;
  };
}

function describeFrame(frame, root, mapOf) {
  const text = String(frame);
  const url = frame.getFileName();
  if (!url?.startsWith(root)) return text;
  const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
  const origin = mapOf(url)?.findOrigin(line, column);
  if (origin?.fileName === undefined) return text;
  const { pathname } = new URL(origin.fileName, url);
  const source = fileURLToPath(`file://${pathname}`);
  return text.replace(
    `${url}:${line}:${column}`,
    `${source}:${origin.lineNumber}:${origin.columnNumber}`,
  );
}

function readMap(url) {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8')));
  } catch {
    // A stack without the map is less to read, but nobody's failure.
    return undefined;
  }
}

// An error may be anything that has a stack, and telling about it must not fail.
function describeError(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}
