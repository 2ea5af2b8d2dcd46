export { createDashboard, type Dashboard, type DashboardOptions } from './dashboard.ts';
export type {
  ListedEndpoint,
  ListedFunction,
  StatusSnapshot,
} from './status-page.ts';
