import type { FunctionSource } from '@fnlet/api';
import type { KubelessFunctionSpec } from '@fnlet/api/kubeless';

/** The code of a function and its dependencies, as Fnlet has them. */
export type KubelessCode =
  | {
      readonly kind: 'code';
      readonly source: FunctionSource;
      readonly dependencies?: string;
    }
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

/** What a handler names. */
export interface KubelessHandler {
  readonly module: string;
  readonly function: string;
}

/** The two parts of `module.function`, which is all that Kubeless takes; else `undefined`. */
export function parseKubelessHandler(handler: string): KubelessHandler | undefined {
  const [module, name, ...others] = handler.split('.');
  if (!module || !name || others.length > 0) return undefined;
  return { module, function: name };
}

// By the letters before the version, as Kubeless's runtimes are named.
const suffixes: Readonly<Record<string, string>> = {
  nodejs: '.js',
  nodejs_distroless: '.js',
  nodejsCE: '.js',
  python: '.py',
  ruby: '.rb',
  php: '.php',
  go: '.go',
  java: '.java',
  jvm: '',
  dotnetcore: '.cs',
  ballerina: '.bal',
};

/**
 * The code in the file that Kubeless puts it into, `<module><suffix>`, or the archive as it is.
 * Content types are recognised as Kubeless does, by what they contain.
 */
export function planKubelessSource(
  spec: KubelessFunctionSpec,
  { module }: KubelessHandler,
): KubelessCode {
  const { function: code = '', checksum = '', runtime = '', deps = '' } = spec;
  const contentType = spec['function-content-type'] ?? '';
  const digest = /^sha256:([0-9a-fA-F]{64})$/.exec(checksum)?.[1];
  if (checksum !== '' && digest === undefined) {
    return refused(`checksum: found "${checksum}", expected sha256: and 64 hexadecimal digits`);
  }
  const isUrl = contentType.includes('url');
  const isBase64 = contentType.includes('base64');
  if (!isUrl && !isBase64 && contentType !== '' && !contentType.includes('text')) {
    return refused(`function-content-type: "${contentType}" is an unknown format`);
  }
  const bringsDependencies = contentType.includes('+deps');
  const dependencies = bringsDependencies || deps.trim() === '' ? {} : { dependencies: deps };
  const sha256 = digest === undefined ? {} : { sha256: digest };
  const isArchive = contentType.includes('+zip') || contentType.includes('+compressedtar');
  if (isArchive) {
    if (!isUrl && !isBase64) {
      return refused(`function-content-type: "${contentType}": an archive is base64 or a url`);
    }
    const archive = isUrl ? { url: code.trim() } : { data: code.replaceAll(/\s/g, '') };
    return { kind: 'code', source: { archive: { ...archive, ...sha256 } }, ...dependencies };
  }
  if (isUrl) {
    return refused(
      'function: a URL of a single file is not fetched here; give its text, or a URL of an archive',
    );
  }
  const text = isBase64 ? decodeText(code) : code;
  if (text === undefined) return refused('function: found binary data, expected text in base64');
  const language = /^[a-zA-Z_-]+/.exec(runtime)?.[0] ?? '';
  const file = `${module}${suffixes[language] ?? ''}`;
  return { kind: 'code', source: { files: { [file]: text } }, ...dependencies };
}

function refused(reason: string): KubelessCode {
  return { kind: 'refused', reasons: [reason] };
}

function decodeText(base64: string): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}
