/** The version of the contract between a hub and the functions that it asks. */
export const contractVersion = 1;

/**
 * The header that every call of a hub carries, with the version as its value: by it a Runner knows
 * that it is one.
 */
export const contractHeader = 'fnlet-operator-contract';

/** Which side broke the contract, and how; both are of no use to try again as they are. */
export type ContractErrorCode = 'InvalidCall' | 'InvalidAnswer' | 'UnsupportedContract';

/** The contract was not kept. The message says which field, what was found and what was expected. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  readonly code: ContractErrorCode;

  constructor(code: ContractErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
