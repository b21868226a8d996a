/** How long a copied value is confirmed. */
export const copiedMs = 6_000
