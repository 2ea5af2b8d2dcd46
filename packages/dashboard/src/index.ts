export { createDashboard, type Dashboard, type DashboardOptions } from './dashboard.ts';
export {
  type FunctionState,
  functionState,
  type ListedEndpoint,
  type ListedFunction,
  type StatusSnapshot,
} from './status-page.ts';
