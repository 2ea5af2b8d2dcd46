import { statusError } from '@fnlet/machinery';
import { stringify } from 'yaml';
import {
  complaintsMax,
  smallYamlBytesMax,
  smallYamlReferencesMax,
  yamlReferencesMax,
  yamlTokensMax,
} from '../limits.ts';
import { LargeYaml } from './large-yaml.ts';
import { parseYaml, type YamlReading } from './parse-yaml.ts';

// Loaded only when a request speaks YAML: parsing the library costs a good part of the start.

const bounds = {
  tokensMax: yamlTokensMax,
  referencesMax: yamlReferencesMax,
  duplicatesMax: complaintsMax,
};

// One for the process, whose threads they are.
const large = new LargeYaml();

/**
 * Reads one document: what is small here, what may take long in a thread of its own.
 *
 * @throws StatusError `RequestEntityTooLarge` for more tokens, anchors and aliases than anybody
 *   writes, `TooManyRequests` while many large ones wait
 */
export async function readYaml(text: string): Promise<Exclude<YamlReading, { kind: 'refused' }>> {
  const reading = isSmall(text) ? parseYaml(text, bounds) : await large.read(text, bounds);
  if (reading.kind !== 'refused') return reading;
  throw statusError('RequestEntityTooLarge', `Request entity too large: ${reading.message}`);
}

/** An alias is looked for among all anchors, so that few of them are small. */
function isSmall(text: string): boolean {
  if (text.length > smallYamlBytesMax) return false;
  return (text.match(/[&*]/g)?.length ?? 0) <= smallYamlReferencesMax;
}

/** A JSON value as YAML text, keys sorted as Go writes them. */
export function formatYaml(value: unknown): string {
  return stringify(value, {
    version: '1.1',
    sortMapEntries: true,
    lineWidth: 0,
    indentSeq: false,
    aliasDuplicateObjects: false,
  });
}
