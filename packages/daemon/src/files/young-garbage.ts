import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (how: { readonly type: 'minor' }) => void

/** So many bytes go by between two collections. */
const everyBytes = 1024 * 1024

let collect: Collect | undefined
let passed = 0

/**
 * Counts bytes of transfers, and has what they left collected while it is young. Each part leaves buffers
 * that nobody needs any more; V8 hardly sees them, because they are outside its heap, and would let tens of
 * MiB of them grow and then look through all of its memory again and again: a third of the time of a transfer.
 */
export function passBytes(bytes: number): void {
  passed += bytes
  if (passed < everyBytes) return
  passed = 0
  collect ??= collector()
  collect({ type: 'minor' })
}

/** V8's own function, which a program has only when it asks for it. */
function collector(): Collect {
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  return typeof found === 'function' ? (found as Collect) : () => {}
}
