// What a warm Runner loads and calls once while it waits (see src/rehearsal.ts).
export const main = (event, context) => ({ data: event.data, runtime: context.runtime });
