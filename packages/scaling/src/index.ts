export type { Demand } from './demand.ts';
