import { testLogContract } from '../../test/log-contract.ts';
import { testLogProperty } from '../../test/log-property.ts';
import { openMemoryLog } from './memory-log.ts';

testLogContract('openMemoryLog()', async (clock) => openMemoryLog({ clock }));
testLogProperty('openMemoryLog()', async (clock) => openMemoryLog({ clock }), 100);
