/** Longest target of a link: `PATH_MAX` without its end. */
const maxTargetBytes = 4095

/**
 * Whether a link stays inside a folder, whatever other links are there: its target is relative, and leaves the link's own
 * folder only by `..` at its beginning, not more often than that folder is deep. Then `..` never follows a link, so that no
 * chain of such links leads out either. The target need not exist.
 */
export function staysInside(target: string, depth: number): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return false
  if (target.includes('\ufffd') || Buffer.byteLength(target) > maxTargetBytes) return false
  const names = target.split('/').filter((name) => name !== '' && name !== '.')
  const firstName = names.findIndex((name) => name !== '..')
  const ups = firstName === -1 ? names.length : firstName
  return ups <= depth && !names.slice(ups).includes('..')
}
