import { type Digest, parseDigest } from '../downloads/digest.ts'
import { fetchText } from '../downloads/fetch-json.ts'
import { transfer } from '../downloads/transfer.ts'
import { nameOf, parentOf, parsePath, rootPath, type SafePath } from '../files/path/safe-path.ts'
import type { StepContext } from './step-context.ts'

/** A file that an outside service offers. */
export interface RemoteFile {
  readonly url: URL
  /** `undefined` where the service publishes none: then the file is fetched anew each time, and cannot be verified. */
  readonly digest: Digest | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** The path of a file that a step is to bring. */
export function requireFilePath(text: string): SafePath {
  const path = parsePath(text)
  if (path.length === 0) throw new Error('target names no file')
  return path
}

/** Brings a file to its place in the server's folder; one that can be verified comes from the node's cache if it is there. */
export async function downloadTo(
  { url, digest, headers }: RemoteFile,
  target: SafePath,
  context: StepContext,
): Promise<void> {
  const { files, fetch, signal } = context
  const say = (message: string) => context.say(message)
  if (digest) return await context.sharedStore.cache.downloadTo({ url, digest }, target, { files, fetch, signal, say })
  const folder = parentOf(target) ?? rootPath
  await transfer({ url, files, folder, name: nameOf(target), fetch, signal, say, ...(headers && { headers }) })
}

/** A file of a Maven repository, with the digest that lies beside it. */
export async function fromMaven(url: URL, context: StepContext): Promise<RemoteFile> {
  for (const kind of ['sha256', 'sha1']) {
    const digest = parseDigest(await fetchText(new URL(`${url.href}.${kind}`), context))
    if (digest) return { url, digest }
  }
  context.say(`${url.hostname} publishes no checksum of ${url.pathname.split('/').at(-1)}`)
  return { url, digest: undefined }
}

/** Why something that was asked for is not there. */
export function notFoundAt(host: string, what: string): Error {
  return new Error(`${host} knows no ${what}. Check the version in the settings of the server`)
}
