import { isJsonObject, type JsonObject } from '@fnlet/base';

/** What is found out while an object of another system is read. */
export class Judgement {
  /** Why it cannot be as it is; empty when it can. */
  readonly reasons: string[] = [];
  /** What of it has no counterpart, or works otherwise. */
  readonly notices: string[] = [];

  refuse(reason: string): void {
    this.reasons.push(reason);
  }

  notice(notice: string): void {
    if (!this.notices.includes(notice)) this.notices.push(notice);
  }
}

/** The object that a value is; empty for any other. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The list that a value is; empty for any other. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text that a value is; empty for any other. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The texts of a list. */
export function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}
