import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { getCode } from '../errors/error-code.ts'
import { isRefusal } from '../errors/refusals.ts'
import { getChild, type SafePath } from '../files/path/safe-path.ts'
import type { RootFs } from '../files/root.ts'
import type { SpaceReservation } from '../files/space/write-budget.ts'
import { defaultRetryMs, type Fetched, type Fetcher, maxAttempts, redactUrl } from '../network/fetch.ts'
import { FetchError } from '../network/fetch-error.ts'
import { type Digest, DigestCheck } from './digest.ts'
import { DownloadProgress, formatSize } from './download-progress.ts'
import { getFileName } from './file-name.ts'
import { HttpStatusError, withMirrorHint } from './mirror-hint.ts'

export const maxDownloadBytes = 64 * 1024 ** 3

/** A download and its target. */
export interface Transfer {
  readonly url: URL
  readonly files: RootFs
  /** Created when missing. */
  readonly folder: SafePath
  /** The file name; default: as the host suggests. */
  readonly name?: string
  /** The expected checksum. */
  readonly digest?: Digest | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch: Fetcher
  readonly signal: AbortSignal
  say(message: string): void
}

/** A file offered by a host, and its target. */
interface Offer {
  readonly name: string
  /** The partial download. Another version of the file has another name. */
  readonly partial: SafePath
  readonly total: number | undefined
  /** ETag or Last-Modified; allows to resume later. */
  readonly validator: string | undefined
  /** Whether the host supports range requests. */
  readonly acceptsRanges: boolean
}

/**
 * Downloads a file into a directory and returns its path. A broken connection is resumed, and so is a partial download
 * of an earlier run, if the host confirms that the file is unchanged.
 */
export async function transfer(job: Transfer): Promise<SafePath> {
  const { url, files, folder, signal, say } = job
  say(`Downloading: ${redactUrl(url)}`)
  await files.mkdirs(folder)
  let offer: Offer | undefined
  const onOffer = (received: Offer) => {
    offer = received
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptDownload(job, offer, onOffer)
    } catch (error) {
      if (signal.aborted || !(error instanceof FetchError) || !error.isRetryable) throw withMirrorHint(error, url)
      if (attempt >= maxAttempts) {
        const words = `${redactUrl(url)} failed ${attempt} times. Last error: ${error.message}`
        throw withMirrorHint(new FetchError(error.problem, words, { cause: error }), url)
      }
      say(`${error.message}. Retrying (${attempt + 1} of ${maxAttempts})`)
      const { retryMs = defaultRetryMs } = job.fetch
      await delay(retryMs * attempt, undefined, { signal })
    }
  }
}

async function attemptDownload(
  options: Transfer,
  known: Offer | undefined,
  onOffer: (offer: Offer) => void,
): Promise<SafePath> {
  const { url, headers = {}, signal } = options
  const received = known ? await sizeOfPartial(known, options) : 0
  if (known && received > 0) {
    await using rest = await requestRest(known, received, options)
    if (rest) return await store(known, rest, received, options)
  }

  await using fetched = await options.fetch(url, { headers, maxBytes: maxDownloadBytes, signal })
  if (fetched.status >= 300) throw new HttpStatusError(url, fetched.status)
  const offer = getOffer(options, fetched)
  onOffer(offer)
  if (offer.total !== undefined && offer.total > maxDownloadBytes) {
    throw new Error(`${offer.name} has ${formatSize(offer.total)}, the limit is ${formatSize(maxDownloadBytes)}`)
  }
  const left = offer.validator === undefined ? 0 : await sizeOfPartial(offer, options)
  if (left > 0 && left === offer.total) return await finish(offer, options)
  if (left > 0) {
    await using rest = await requestRest(offer, left, options)
    if (rest) return await store(offer, rest, left, options)
  }
  await removePartials(offer, options)
  return await store(offer, fetched, 0, options)
}

/** Requests the missing range; undefined when the host does not support it or the file has changed. */
async function requestRest(offer: Offer, received: number, options: Transfer): Promise<Fetched | undefined> {
  if (!offer.acceptsRanges) return undefined
  const headers = {
    ...options.headers,
    range: `bytes=${received}-`,
    ...(offer.validator === undefined ? {} : { 'if-range': offer.validator }),
  }
  const rest = await options.fetch(options.url, {
    headers,
    maxBytes: maxDownloadBytes - received,
    signal: options.signal,
  })
  const range = /^bytes (?<from>\d+)-\d+\/(?<total>\d+|\*)$/.exec(rest.headers['content-range'] ?? '')?.groups
  const isSameFile = offer.total === undefined ? offer.validator !== undefined : range?.total === String(offer.total)
  if (rest.status === 206 && range?.from === String(received) && isSameFile) {
    options.say(`Resuming ${offer.name} after ${formatSize(received)}`)
    return rest
  }
  await rest[Symbol.asyncDispose]()
  return undefined
}

/** Appends to the partial download and renames it when it is complete. */
async function store(offer: Offer, fetched: Fetched, received: number, options: Transfer): Promise<SafePath> {
  await refuseIfFull(offer, received, options)
  using reservation = await options.files.reserve(Math.max(0, (offer.total ?? 0) - received), 'inPlace')
  const progress = new DownloadProgress(offer.name, received, offer.total, (message) => options.say(message))
  const appending = append(offer, fetched, { progress, reservation }, options)
  await appending.catch(async (error: unknown) => {
    // An incomplete download must not keep the disk full.
    const isTooLarge = isRefusal(error, 'ErrDiskLimit') || ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(getCode(error))
    if (isTooLarge) await options.files.removeTree(offer.partial)
    else reservation.settle()
    throw error
  })
  reservation.settle()
  if (offer.total !== undefined && progress.done !== offer.total) {
    await options.files.removeTree(offer.partial)
    throw new FetchError('broken', `${offer.name} should have ${offer.total} bytes, but has ${progress.done}`)
  }
  return await finish(offer, options)
}

async function append(
  { partial }: Offer,
  { body }: Fetched,
  { progress, reservation }: { readonly progress: DownloadProgress; readonly reservation: SpaceReservation },
  { files }: Transfer,
): Promise<void> {
  await using file = await files.open(partial, 'append')
  for await (const part of body) {
    await reservation.write(part.length, () => file.appendFile(part))
    progress.add(part.length)
  }
  await file.sync()
}

async function finish({ name, partial }: Offer, options: Transfer): Promise<SafePath> {
  const { files, folder, say } = options
  await verify(name, partial, options)
  const target = getChild(folder, name)
  const before = await files.lstat(target)
  if (before?.kind === 'folder') throw new Error(`there is already a directory named ${name}`)
  const size = (await files.stat(partial))?.size ?? 0
  await files.rename(partial, target)
  say(`Downloaded ${name} (${formatSize(size)})`)
  return target
}

/** Read again from disk: parts may be from an earlier run. */
async function verify(name: string, partial: SafePath, { files, url, digest, signal }: Transfer): Promise<void> {
  if (!digest) return
  const check = new DigestCheck(digest)
  {
    await using file = await files.open(partial, 'read')
    for await (const part of file.createReadStream({ autoClose: false, signal })) check.add(part)
  }
  try {
    check.end(name, url.hostname)
  } catch (error) {
    await files.removeTree(partial)
    throw error
  }
}

function getOffer({ url, folder, name: fixedName, digest }: Transfer, { headers, url: source }: Fetched): Offer {
  const name = fixedName ?? getFileName(headers['content-disposition'], source, url)
  const { etag, 'last-modified': modified } = headers
  // A weak ETag does not guarantee identical bytes.
  const validator = etag !== undefined && !etag.startsWith('W/') ? etag : modified
  const length = headers['content-length']
  const total = length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined
  const version = createHash('sha256')
    .update(JSON.stringify([url.href, validator, total, digest?.hex]))
    .digest('hex')
  const partial = getChild(folder, `${partialPrefix(name)}${version.slice(0, 12)}.part`)
  const acceptsRanges = headers['accept-ranges'] !== 'none' && (validator !== undefined || total !== undefined)
  return { name, partial, total, validator, acceptsRanges }
}

const partialPrefix = (name: string): string => `.${name}.`

async function sizeOfPartial({ partial }: Offer, { files }: Transfer): Promise<number> {
  const existing = await files.lstat(partial)
  return existing?.kind === 'file' ? existing.size : 0
}

/** Removes partial downloads of this file, of any version. */
async function removePartials({ name }: Offer, { files, folder }: Transfer): Promise<void> {
  for (const { name: there } of await files.readdir(folder)) {
    const version = there.startsWith(partialPrefix(name)) ? there.slice(partialPrefix(name).length) : ''
    if (/^[0-9a-f]{12}\.part$/.test(version)) await files.removeTree(getChild(folder, there))
  }
}

async function refuseIfFull({ name, total }: Offer, received: number, { files }: Transfer): Promise<void> {
  const free = await files.freeBytes()
  const missing = (total ?? 0) - received
  if (missing > free) {
    throw new Error(`the disk is full: ${name} needs ${formatSize(missing)} more, ${formatSize(free)} are free`)
  }
}
