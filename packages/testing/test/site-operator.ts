import type { Condition } from '@fnlet/machinery';
import {
  defineKind,
  field,
  type ObjectOf,
  type OperatorOptions,
  type OwnKind,
  operator,
} from '@fnlet/sdk/operator';
import { type OperatorTest, testOperator } from '../src/operator-test.ts';

/** A kind for tests of operators. */
export const Site: OwnKind<
  { readonly html: string },
  { readonly url?: string; readonly size?: number }
> = defineKind({
  group: 'example.dev',
  version: 'v1',
  kind: 'Site',
  description: 'A site.',
  spec: { html: field.text('The page.', { default: 'hi' }) },
  status: {
    url: field.text('Where it is reached.'),
    size: field.integer('How large it is.'),
  },
});
export type Site = ObjectOf<typeof Site>;

/** The site that most tests are about. */
export const a: { readonly metadata: { readonly name: string }; readonly spec: object } = {
  metadata: { name: 'a' },
  spec: {},
};

/** An operator for sites, under test. */
export function start(options: OperatorOptions<Site>): Promise<OperatorTest> {
  return testOperator(operator(Site, options));
}

/** What is said of the site `a`. */
export async function conditionOf(t: OperatorTest, type: string): Promise<Condition | undefined> {
  const site = await t.get(Site, 'a');
  return site?.status?.conditions?.find((condition) => condition.type === type);
}
