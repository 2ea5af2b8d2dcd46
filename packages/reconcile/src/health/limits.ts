/** How long one check may take: kubelet waits a second by default, people a little longer. */
export const checkTimeoutMs = 5_000;
