import { testStoreContract } from '../test/store-contract.ts';
import { openMemoryStore } from './memory-store.ts';

testStoreContract('openMemoryStore()', async (options) => openMemoryStore(options));
