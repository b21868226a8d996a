import { type Digest, parseDigest } from '../../downloads/digest.ts'
import { fetchText } from '../../downloads/fetch-json.ts'
import { transfer } from '../../downloads/transfer.ts'
import { findParent, getName, parsePath, rootPath, type SafePath } from '../../files/path/safe-path.ts'
import type { StepContext } from '../context/step-context.ts'

/** A file of an outside service. */
export interface RemoteFile {
  readonly url: URL
  /** undefined where the service publishes none: then the file is always downloaded and cannot be verified. */
  readonly digest: Digest | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Parses the target path of a download. */
export function requireFilePath(text: string): SafePath {
  const path = parsePath(text)
  if (path.length === 0) throw new Error('target is not a file name')
  return path
}

/**
 * Downloads a file to its target in the server's directory; files with a checksum come from the node's cache if
 * possible.
 */
export async function downloadTo(
  { url, digest, headers }: RemoteFile,
  target: SafePath,
  context: StepContext,
): Promise<void> {
  const { files, fetch, signal } = context
  const say = (message: string) => context.say(message)
  if (digest) return await context.sharedStore.cache.downloadTo({ url, digest }, target, { files, fetch, signal, say })
  const folder = findParent(target) ?? rootPath
  await transfer({ url, files, folder, name: getName(target), fetch, signal, say, ...(headers && { headers }) })
}

/** A file of a Maven repository, with the checksum beside it. */
export async function fromMaven(url: URL, context: StepContext): Promise<RemoteFile> {
  for (const kind of ['sha256', 'sha1']) {
    const digest = parseDigest(await fetchText(new URL(`${url.href}.${kind}`), context))
    if (digest) return { url, digest }
  }
  context.say(`${url.hostname} publishes no checksum for ${url.pathname.split('/').at(-1)}`)
  return { url, digest: undefined }
}

/** The error for something that does not exist at a service. */
export function notFoundAt(host: string, subject: string): Error {
  return new Error(`${host} has no ${subject}. Check the version in the settings of the server`)
}
