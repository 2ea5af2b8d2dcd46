export type { Endpoint, Route } from './route.ts';
