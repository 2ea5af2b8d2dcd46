// What a warm Runner loads and calls once while it waits (see src/rehearsal.ts).
module.exports = { main: (event) => `rehearsed ${event.data}` };
