/** Content codings that answers can be compressed with. */
export type Coding = 'zstd' | 'br' | 'gzip';

/** In the order in which equally welcome ones are taken: the cheapest for what it saves first. */
const codings: readonly Coding[] = ['zstd', 'br', 'gzip'];

/**
 * The coding that a client likes best, by its Accept-Encoding (RFC 9110 §12.5.3); `undefined` when
 * it would rather have none. A weight that is none counts as zero.
 */
export function chooseCoding(accept: string | undefined): Coding | undefined {
  if (accept === undefined) return undefined;
  const weights = parseWeights(accept);
  const any = weights.get('*') ?? 0;
  let best: Coding | undefined;
  let bestWeight = Math.max(weights.get('identity') ?? 0, Number.MIN_VALUE);
  for (const coding of codings) {
    const alias = coding === 'gzip' ? weights.get('x-gzip') : undefined;
    const weight = weights.get(coding) ?? alias ?? any;
    if (weight > bestWeight || (weight === bestWeight && best === undefined)) {
      best = coding;
      bestWeight = weight;
    }
  }
  return best;
}

function parseWeights(accept: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const item of accept.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    if (coding !== '')
      weights.set(coding, quality === undefined ? 1 : readWeight(quality.slice(2)));
  }
  return weights;
}

function readWeight(text: string): number {
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
