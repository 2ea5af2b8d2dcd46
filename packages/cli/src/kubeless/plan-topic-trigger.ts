import {
  type KafkaTriggerObject,
  kafkaTriggerType,
  type NatsTriggerObject,
  natsTriggerType,
} from '@fnlet/api/kubeless';
import { errorMessage } from '@fnlet/base';
import {
  formatApiVersion,
  formatLabelSelector,
  type LabelSelectorSpec,
  labelSelectorFromSpec,
  type ObjectKey,
  parseLabelSelector,
  type ResourceType,
} from '@fnlet/machinery';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';

export type TopicTriggerObject = KafkaTriggerObject | NatsTriggerObject;

/** Which of the two kinds. */
export interface TopicTriggerKind {
  /** As messages have it. */
  readonly title: string;
  readonly type: ResourceType;
}

/** The word of the command. */
export type TopicWord = 'kafka' | 'nats';

export const topicTriggerKinds: Readonly<Record<TopicWord, TopicTriggerKind>> = {
  kafka: { title: 'Kafka', type: kafkaTriggerType },
  nats: { title: 'NATS', type: natsTriggerType },
};

/** What flags name. */
export interface TopicTriggerFlags {
  readonly triggerTopic?: string;
  readonly functionSelector?: string;
}

/**
 * A KafkaTrigger or a NATSTrigger.
 *
 * @throws CliError `usage` for a selector that is none
 */
export function planTopicTrigger(
  { type }: TopicTriggerKind,
  { name, namespace }: ObjectKey,
  { triggerTopic, functionSelector }: Required<TopicTriggerFlags>,
): TopicTriggerObject {
  return {
    apiVersion: formatApiVersion(type),
    kind: type.kind,
    metadata: { name, namespace, labels: { 'created-by': 'kubeless' } },
    spec: { topic: triggerTopic, functionSelector: planFunctionSelector(functionSelector) },
  };
}

/** The same trigger with what flags name; what none names stays as it is. */
export function planTopicTriggerUpdate(
  before: TopicTriggerObject,
  { triggerTopic, functionSelector }: TopicTriggerFlags,
): TopicTriggerObject {
  return {
    ...before,
    spec: {
      ...before.spec,
      ...(triggerTopic === undefined ? {} : { topic: triggerTopic }),
      ...(functionSelector === undefined
        ? {}
        : { functionSelector: planFunctionSelector(functionSelector) }),
    },
  };
}

/** As lists show it. */
export function describeFunctionSelector({
  functionSelector = {},
}: TopicTriggerObject['spec']): string {
  const text = formatLabelSelector(labelSelectorFromSpec(functionSelector));
  return text === '' ? '<none>' : text;
}

const operators: Readonly<Record<string, string>> = {
  '!=': 'NotIn',
  in: 'In',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
};

/** Unlike Kubeless's command it keeps what is more than `key=value`, too. */
function planFunctionSelector(text: string): LabelSelectorSpec {
  const requirements = readSelector(text);
  const equal = requirements.filter(({ operator }) => operator === '=');
  const others = requirements.filter(({ operator }) => operator !== '=');
  const matchExpressions = others.map(({ key, operator, values }) => {
    const known = operators[operator];
    if (known === undefined) throw notUsable(text, `found the operator ${operator}`);
    return { key, operator: known, ...(values.length === 0 ? {} : { values }) };
  });
  return {
    ...(equal.length === 0
      ? {}
      : {
          matchLabels: Object.fromEntries(
            equal.map(({ key, values: [value = ''] }) => [key, value]),
          ),
        }),
    ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
  };
}

function readSelector(text: string): ReturnType<typeof parseLabelSelector>['requirements'] {
  try {
    return parseLabelSelector(text).requirements;
  } catch (error) {
    throw notUsable(text, errorMessage(error));
  }
}

function notUsable(text: string, problem: string): CliError {
  return new CliError(exitCodes.usage, `Invalid label selector "${text}": ${problem}`);
}
