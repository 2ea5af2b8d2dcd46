/** The version of this house; the same as in its package.json files. */
export const fnletVersion = '0.1.0';
