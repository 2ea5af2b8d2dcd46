/**
 * Asks hooks of Metacontroller in place of a function that knows Fnlet's contract.
 *
 * I1. What a run asks and is answered stays Fnlet's contract: runs are recorded, and run again, the
 *     same for both.
 * I2. `customize` is asked once a run, before `sync`: its rules are what the run requires.
 */
import type { OperatorHook, OperatorHooks } from '@fnlet/api';
import type { JsonObject } from '@fnlet/base';
import type { OperatorCall, RequiredObjects } from '@fnlet/sdk/operator-wire';
import type { CallOptions, FunctionCaller } from '../call/function-caller.ts';
import { HubError } from '../hub-error.ts';
import { type RelatedRule, readRelatedRules } from './related-rules.ts';
import { answerOfHook } from './sync-answer.ts';
import { customizeRequest, type HookController, syncRequest } from './sync-request.ts';

export interface HookCallerOptions {
  readonly caller: FunctionCaller;
  readonly hooks: OperatorHooks;
  readonly controller: Omit<HookController, 'style'>;
  /** The kind that URLs call so, as manifests do. */
  readonly kindOf: (rule: RelatedRule) => Promise<string>;
}

/** A caller that translates. */
export function createHookCaller(options: HookCallerOptions): FunctionCaller {
  const { caller, hooks, kindOf } = options;
  const { style } = hooks;
  const controller = { ...options.controller, style };
  const ask = (body: JsonObject, hook: OperatorHook, more: CallOptions): Promise<unknown> =>
    caller.call(JSON.stringify(body), { ...more, ...placeOf(hook) });
  return {
    async call(text, more) {
      const call: OperatorCall = JSON.parse(text);
      if (call.what === 'map') throw noMap(call.watch);
      const { sync = {}, finalize, customize } = hooks;
      if (call.what === 'cleanup' && finalize === undefined) return { finalized: true };
      const isCustomized = customize !== undefined && call.required === undefined;
      if (isCustomized) {
        const body = customizeRequest(call, controller);
        const rules = readRelatedRules(await ask(body, { path: '/customize', ...customize }, more));
        if (rules.length > 0) return { require: await Promise.all(rules.map(requirement)) };
      }
      const hook =
        call.what === 'cleanup' ? { path: '/finalize', ...finalize } : { path: '/sync', ...sync };
      const isFurther = more.isFurther === true || isCustomized;
      const answer = await ask(syncRequest(call, controller), hook, { ...more, isFurther });
      return answerOfHook(answer, { style, what: call.what });
    },
  };

  async function requirement(rule: RelatedRule): Promise<RequiredObjects> {
    const { resource: _, ...rest } = rule;
    return { ...rest, kind: await kindOf(rule) };
  }
}

function placeOf({ path, function: name }: OperatorHook): Partial<CallOptions> {
  return {
    ...(path === undefined ? {} : { target: path }),
    ...(name === undefined ? {} : { function: name }),
  };
}

function noMap(watch: number): HubError {
  const message = `Cannot map what watch ${watch} concerns: hooks of Metacontroller say no such thing`;
  return new HubError('InvalidSpec', message, { remedy: 'Give the watch an expression: map' });
}
