import { type TriggerObject, triggerCrd } from '@fnlet/api';
import { compileSchema } from '@fnlet/schema';
import { describeErrors } from '../describe-errors.ts';

/** A Trigger that is to be made. */
export type PlannedTrigger = Pick<TriggerObject, 'apiVersion' | 'kind' | 'metadata' | 'spec'>;

const schema = compileSchema(triggerCrd.spec.versions[0]?.schema?.openAPIV3Schema ?? {}, {
  root: 'resource',
});

// RFC 1123, as Kubernetes has it for names of objects.
const nameCharactersMax = 253;

/** Why the API would refuse a Trigger, for people; empty when it would not. */
export function findTriggerMistakes(trigger: PlannedTrigger): readonly string[] {
  const { length } = trigger.metadata.name;
  const tooLong = `metadata.name: the Trigger would have ${length} characters in its name, expected at most ${nameCharactersMax}`;
  return [
    ...(length > nameCharactersMax ? [tooLong] : []),
    ...describeErrors(schema.validate(trigger)),
  ];
}
