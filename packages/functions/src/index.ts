export { createFunctions, type Functions, type FunctionsOptions } from './functions.ts';
export { FunctionsError, type FunctionsErrorCode } from './functions-error.ts';
export { installKinds } from './install-kinds.ts';
export { answerWebhook, type WebhookAnswer, type WebhookParts } from './source/answer-webhook.ts';
