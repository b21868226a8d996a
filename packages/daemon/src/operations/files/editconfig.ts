import { isUtf8 } from 'node:buffer'
import { substitute } from '@innkeeper/contract/definitions/command-line'
import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { limits } from '@innkeeper/contract/text/limits'
import type { ConfigChange } from '../../config-files/config-format.ts'
import { errorText } from '../../errors/error-text.ts'
import { findParent, formatPath, parsePath } from '../../files/path/safe-path.ts'
import type { PreparedStep, StepListContext } from '../context/step-context.ts'

const editTimeoutMs = 10_000

/**
 * Sets values in a configuration file. A file that cannot be read or changed is left as it is, and the console says why:
 * the server may start without.
 */
export function editConfigFile(
  { file, format, changes }: StepFields<'editconfig'>,
  values: ReadonlyMap<string, string>,
): PreparedStep {
  const path = parsePath(file)
  const parent = findParent(path)
  if (!parent) throw new Error('file is not a file name')
  const filled = changes.map((change) => ({ ...change, value: fill(change.value, format, values) }))

  return async (context) => {
    try {
      await edit(context)
    } catch (error) {
      context.signal.throwIfAborted()
      context.say(`${formatPath(path)} was left as it is: ${errorText(error)}`)
    }
  }

  async function edit({ files, configWorker, say }: StepListContext): Promise<void> {
    const isThere = (await files.stat(path)) !== undefined
    const before = isThere ? await files.readFile(path, limits.editableFileBytes) : Buffer.alloc(0)
    const encoding = getEncoding(before)
    const isUnicode = encoding !== 'latin1'
    const isRaw = !isUnicode && (format === 'ini' || format === 'file')
    const request = {
      format,
      text: before.toString(encoding),
      changes: isRaw ? filled.map(inBytes) : filled,
      isUnicode,
    }
    const { text, problems } = await configWorker.run(request, editTimeoutMs, 'reading it took too long')
    for (const { path: key, reason } of problems) say(`${formatPath(path)}: ${key} was not changed: ${reason}`)
    if (text === request.text) return
    say(`Changing file: ${formatPath(path)}`)
    const after = Buffer.from(text, encoding)
    if (after.length > limits.editableFileBytes) throw new Error('it would become too large')
    if (!isThere && parent) await files.mkdirs(parent)
    await files.writeFile(path, after)
  }
}

/** A new value may not add lines to a file that has no way to write a line break. */
function fill(value: ConfigChange['value'], format: string, values: ReadonlyMap<string, string>) {
  if (typeof value !== 'string') return value
  return substitute(value, {
    get: (name) =>
      format === 'file' ? values.get(name)?.replace(/[\r\n\v\f\u0085\u2028\u2029]+/g, ' ') : values.get(name),
  })
}

function getEncoding(bytes: Buffer): 'utf8' | 'utf16le' | 'latin1' {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe && bytes.length % 2 === 0) return 'utf16le'
  if (first === 0xfe && second === 0xff) throw new Error('its encoding is not supported')
  return isUtf8(bytes) ? 'utf8' : 'latin1'
}

/** In a text with one character per byte. */
function inBytes({ path, value, when }: ConfigChange): ConfigChange {
  const bytes = (text: string) => Buffer.from(text).toString('latin1')
  return {
    path: bytes(path),
    value: typeof value === 'string' ? bytes(value) : value,
    ...(when === undefined ? {} : { when: bytes(when) }),
  }
}
