/**
 * Reads the type declarations of a Go file as gofmt writes it: structs with their tags, named
 * types, the constants of each type, and the `+marker` comments before them. Prose is not kept.
 */

/** A field of a Go struct. */
export interface GoField {
  /** Empty for an embedded field. */
  readonly name: string;
  /** As written, such as `[]*v1.Container`. */
  readonly type: string;
  /** Struct tags by key: json, protobuf, patchStrategy, patchMergeKey. */
  readonly tags: ReadonlyMap<string, string>;
  readonly markers: readonly string[];
}

/** A named Go type: a struct with fields, or another type under a new name. */
export interface GoType {
  readonly name: string;
  readonly markers: readonly string[];
  /** Absent for anything but a struct. */
  readonly fields?: readonly GoField[];
  /** What a type that is not a struct stands for, such as `[]string`. */
  readonly underlying?: string;
}

/** What a Go file declares. */
export interface GoDeclarations {
  readonly types: readonly GoType[];
  /** The text constants of named types, such as Protocol -> TCP, UDP, SCTP. */
  readonly constants: ReadonlyMap<string, readonly string[]>;
  /** Alias of an import -> its path. */
  readonly imports: ReadonlyMap<string, string>;
}

const structStart = /^type (\w+) struct ?\{(\})?/;
const namedType = /^type (\w+) =? ?([\w.*[\]]+)$/;
const constant = /^\s*(?:const )?\w+\s+([\w.]+)\s+= "([^"]*)"/;
const constructed = /^\s*(?:const )?\w+\s+= (\w+)\("([^"]*)"\)/;
const importLine = /^(?:import )?\s*(\w+ )?"([\w./-]+)"$/;

export function parseGoDeclarations(text: string): GoDeclarations {
  const types: GoType[] = [];
  const constants = new Map<string, string[]>();
  const imports = new Map<string, string>();
  const lines = text.replace(/^\s*\/\*[\s\S]*?\*\/$/gm, '').split('\n');
  let markers: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const marker = markerOf(line);
    if (marker !== undefined) markers.push(marker);
    if (/^\/\//.test(line) || (line === '' && markers.length > 0)) continue;
    const [, structName, closed] = structStart.exec(line) ?? [];
    const [, name, underlying] = namedType.exec(line) ?? [];
    const [, constantType, value] = constant.exec(line) ?? constructed.exec(line) ?? [];
    const [, alias, path] = importLine.exec(line) ?? [];
    if (structName !== undefined) {
      const end = closed === undefined ? lines.indexOf('}', at) : at;
      types.push({ name: structName, markers, fields: parseFields(lines.slice(at + 1, end)) });
      at = end;
    } else if (name !== undefined && underlying !== undefined) {
      types.push({ name, markers, underlying });
    } else if (constantType !== undefined && value !== undefined) {
      constants.set(constantType, [...(constants.get(constantType) ?? []), value]);
    } else if (path !== undefined) {
      imports.set(alias?.trim() ?? path.slice(path.lastIndexOf('/') + 1), path);
    }
    markers = [];
  }
  return { types, constants, imports };
}

function markerOf(line: string): string | undefined {
  return /^\s*\/\/ ?\+(.*\S)/.exec(line)?.[1];
}

const fieldLine = /^\t(?:(\w+)\s+)?([\w.*[\]{}]+)(?:\s+`([^`]*)`)?(?:\s*\/\/.*)?$/;

function parseFields(lines: readonly string[]): GoField[] {
  const fields: GoField[] = [];
  let markers: string[] = [];
  for (const line of lines) {
    const marker = markerOf(line);
    if (marker !== undefined) markers.push(marker);
    if (/^\s*(\/\/|$)/.test(line)) continue;
    const [, name = '', type, tags = ''] = fieldLine.exec(line) ?? [];
    if (type === undefined) throw new Error(`Cannot read the field "${line}": expected name, type`);
    fields.push({ name, type, tags: parseTags(tags), markers });
    markers = [];
  }
  return fields;
}

function parseTags(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/(\w+):"([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
  );
}
