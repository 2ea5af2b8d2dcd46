import type { ResourceClient } from '@fnlet/client';
import type { CliContext, DocumentFormat } from '../cli-context.ts';
import { formatObjects } from '../output.ts';
import { formatTable } from '../text-table.ts';
import {
  connectKubeless,
  type KubelessConnection,
  type KubelessFlags,
} from './kubeless-connection.ts';
import { planSpecPatch } from './plan-spec-patch.ts';
import {
  describeFunctionSelector,
  planTopicTrigger,
  planTopicTriggerUpdate,
  type TopicTriggerFlags,
  type TopicTriggerKind,
  type TopicTriggerObject,
  type TopicWord,
  topicTriggerKinds,
} from './plan-topic-trigger.ts';

export interface TopicTriggerCommandFlags extends KubelessFlags, TopicTriggerFlags {
  readonly name: string;
  readonly dryrun?: boolean;
  readonly output: DocumentFormat;
}

/** `kubeless trigger kafka create`, `kubeless trigger nats create`. */
export async function createTopicTrigger(
  word: TopicWord,
  flags: TopicTriggerCommandFlags & Required<TopicTriggerFlags>,
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const kind = topicTriggerKinds[word];
  const { namespace } = kubeless;
  const { name, dryrun, output } = flags;
  const { signal, stdout } = context;
  const trigger = planTopicTrigger(kind, { name, namespace }, flags);
  if (dryrun === true) {
    stdout.write(await formatObjects(output, trigger));
    return;
  }
  await triggersOf(kubeless, kind).create(trigger, { signal });
  tell(`${kind.title} trigger ${name} created in namespace ${namespace}`, context);
}

/** `kubeless trigger kafka update`: what no flag names stays as it is. */
export async function updateTopicTrigger(
  word: TopicWord,
  flags: TopicTriggerCommandFlags,
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const kind = topicTriggerKinds[word];
  const { namespace } = kubeless;
  const { name, dryrun, output } = flags;
  const { signal, stdout } = context;
  const triggers = triggersOf(kubeless, kind);
  const key = { namespace, name };
  const before = await triggers.get(key, { signal });
  const after = planTopicTriggerUpdate(before, flags);
  if (dryrun === true) {
    stdout.write(await formatObjects(output, after));
    return;
  }
  const patch = planSpecPatch(before, after.spec);
  await triggers.patch(key, { type: 'json', patch }, { signal });
  tell(`${kind.title} trigger ${name} updated in namespace ${namespace}`, context);
}

/** `kubeless trigger kafka delete`. */
export async function deleteTopicTrigger(
  word: TopicWord,
  flags: KubelessFlags & { readonly name: string },
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const kind = topicTriggerKinds[word];
  const { namespace } = kubeless;
  const { name } = flags;
  await triggersOf(kubeless, kind).delete({ namespace, name }, { signal: context.signal });
  tell(`${kind.title} trigger ${name} deleted from namespace ${namespace}`, context);
}

/** `kubeless trigger kafka list`. */
export async function listTopicTriggers(
  word: TopicWord,
  flags: KubelessFlags,
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const kind = topicTriggerKinds[word];
  const { namespace } = kubeless;
  const listed = triggersOf(kubeless, kind).listAll({ namespace, signal: context.signal });
  const rows = (await Array.fromAsync(listed)).map(({ metadata, spec }) => [
    metadata.name,
    metadata.namespace ?? '',
    spec.topic,
    describeFunctionSelector(spec),
  ]);
  context.stdout.write(formatTable(['NAME', 'NAMESPACE', 'TOPIC', 'FUNCTION SELECTOR'], rows));
}

function triggersOf(
  { client }: KubelessConnection,
  { type }: TopicTriggerKind,
): ResourceClient<TopicTriggerObject> {
  return client.of<TopicTriggerObject>(type);
}

function tell(text: string, { stderr }: CliContext): void {
  stderr.write(`${text} successfully!\n`);
}
