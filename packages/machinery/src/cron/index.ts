export { type CronRule, type ParsedCronRule, parseCronRule } from './cron-rule.ts';
export { type CronSchedule, openCronSchedule } from './cron-schedule.ts';
export { isTimeZone } from './wall-clock.ts';
