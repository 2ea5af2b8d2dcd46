/**
 * What is left to the platform: fetching, and parsing forms. The platform's classes are never named
 * here, because reading one of these globals loads Node's fetch (20 ms, 13 MB).
 */
export class Platform {
  readonly #fetch: typeof fetch = globalThis.fetch;
  #responseClass: typeof Response | undefined;

  /** Whether `value` is an answer of the platform's fetch. */
  isResponse(value: unknown): value is Response {
    return this.#responseClass !== undefined && value instanceof this.#responseClass;
  }

  async fetch(url: string, init: RequestInit | undefined): Promise<Response> {
    const response = await this.#fetch(url, init);
    const made: unknown = response.constructor;
    if (isResponseClass(made)) this.#responseClass = made;
    return response;
  }

  async formData(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormData> {
    if (this.#responseClass === undefined) await this.fetch('data:,', undefined);
    if (this.#responseClass === undefined) throw new TypeError('Cannot read a form here');
    const headers = { 'content-type': contentType };
    return new this.#responseClass(bytes, { headers }).formData();
  }
}

/** The one platform of this process; it holds nothing but what the platform's fetch taught it. */
export const platform: Platform = new Platform();

function isResponseClass(value: unknown): value is typeof Response {
  return typeof value === 'function' && value.name === 'Response';
}
