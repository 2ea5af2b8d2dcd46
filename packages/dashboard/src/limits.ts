/** Pages are small and few: a client that takes longer to send its request is cut off. */
export const requestTimeoutMs = 10_000;
