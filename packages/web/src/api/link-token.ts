/** The token that a mailed link carries behind `#`, where no server on the way sees it; `undefined` without one. */
export function parseLinkToken(hash: string): string | undefined {
  return new URLSearchParams(hash.replace(/^#/, '')).get('token') || undefined
}
