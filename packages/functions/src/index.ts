export { createFunctions, type Functions } from './functions.ts';
export { FunctionsError, type FunctionsErrorCode } from './functions-error.ts';
export type { FunctionsOptions } from './functions-options.ts';
export { installKinds } from './install-kinds.ts';
export { answerWebhook, type WebhookAnswer, type WebhookParts } from './source/answer-webhook.ts';
