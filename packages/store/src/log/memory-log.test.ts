import { testLogContract } from '../../test/log-contract.ts';
import { openMemoryLog } from './memory-log.ts';

testLogContract('openMemoryLog()', async (clock) => openMemoryLog({ clock }));
