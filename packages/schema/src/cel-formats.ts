import { type NameRule, validateName } from '@fnlet/machinery';
import { asString, asTagged, type CelOverload, overload } from './cel-function.ts';
import { type CelValue, celList, celNone } from './cel-value.ts';
import { formatCheck } from './string-format.ts';

const nameRules: readonly NameRule[] = ['dns1123Label', 'dns1123Subdomain', 'dns1035Label'];
const stringFormats = ['uri', 'uuid', 'byte', 'date', 'datetime'];

/** Kubernetes' format library: `!format.dns1123Label().validate(self.name).hasValue()`. */
export const celFormatFunctions = (): readonly CelOverload[] => [
  ...nameRules.map((rule) =>
    namedFormat(rule, (text) => {
      const problem = validateName(rule, text);
      return problem === undefined ? [] : [problem];
    }),
  ),
  ...stringFormats.map((name) =>
    namedFormat(name, (text) => (formatCheck(name)?.(text) === false ? [`invalid ${name}`] : [])),
  ),
  overload('format.validate(string): optional<list<string>>', ([format, text]) => {
    const problems = asTagged('format', format).check(asString(text));
    return problems.length === 0 ? celNone : { kind: 'optional', value: celList(problems) };
  }),
];

function namedFormat(name: string, check: (text: string) => readonly string[]): CelOverload {
  const format: CelValue = { kind: 'format', name, check };
  return overload(`format::${name}(): format`, () => format);
}
