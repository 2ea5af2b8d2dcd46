const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** What a clock on the wall of a time zone shows. */
export interface WallTime {
  readonly month: number;
  readonly day: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
}

export type WallClock = (atMs: number) => WallTime;

/** The clock of a time zone; by default that of the machine. @throws RangeError for no zone */
export function openWallClock(timeZone?: string): WallClock {
  const format = new Intl.DateTimeFormat('en-US', {
    ...(timeZone === undefined ? {} : { timeZone }),
    hourCycle: 'h23',
    ...{ month: 'numeric', day: 'numeric', weekday: 'short', hour: 'numeric', minute: 'numeric' },
  });
  return (atMs) => {
    const shown = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
    const number = (type: Intl.DateTimeFormatPartTypes): number => Number(shown.get(type));
    return {
      ...{ month: number('month'), day: number('day') },
      weekday: weekdays.indexOf(shown.get('weekday') ?? ''),
      ...{ hour: number('hour'), minute: number('minute') },
    };
  };
}

/** Whether there is a time zone of this name; offsets such as `+01:00` are none. */
export function isTimeZone(name: string): boolean {
  try {
    openWallClock(name);
    return !/^[+-]/.test(name);
  } catch {
    return false;
  }
}
