/**
 * Fetches a text over HTTP or HTTPS. Node's `fetch` is loaded by the first call, and by none if
 * nothing asks for a text.
 *
 * @throws Error when it is no answer 200, or longer than `bytesMax`
 */
export async function fetchText(
  url: string,
  { bytesMax, signal }: { readonly bytesMax: number; readonly signal: AbortSignal },
): Promise<string> {
  const answer = await fetch(url, { signal, redirect: 'error' });
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      throw new Error(`Cannot read ${url}: found more than ${bytesMax} bytes, expected fewer`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  if (answer.status !== 200) {
    throw new Error(`Cannot read ${url}: found status ${answer.status}, expected 200`);
  }
  return text + decoder.decode();
}
