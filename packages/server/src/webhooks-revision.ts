/** Under what the Gateway knows webhooks: no namespace has this name. */
export const webhooksRevision = '-/webhooks';
