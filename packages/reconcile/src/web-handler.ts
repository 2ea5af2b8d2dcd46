/** Answers one request; whoever listens hands it over. */
export type WebHandler = (request: Request) => Promise<Response>;
