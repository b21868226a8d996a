import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { limits } from '@innkeeper/contract/limits'
import type { StepFields } from '@innkeeper/contract/operations'
import { codeOf } from '../files/error-code.ts'
import { childOf, rootPath, type SafePath } from '../files/safe-path.ts'
import { type Fetched, FetchFailure, printableUrl } from '../network/fetch.ts'
import { fileNameOf } from './file-name.ts'
import { formatSize, Progress } from './progress.ts'
import type { ReadyStep, StepRoom } from './step-room.ts'

/**
 * Downloads files into the server's folder. A connection that breaks off is tried again from where it ended, and so is a
 * download that an earlier run left half done, as far as the host can say that it is still the same file.
 */
export function downloadFiles({ files }: StepFields<'download'>): ReadyStep {
  const urls = files.map(readAddress)

  return async (room) => {
    for (const url of urls) await download(url, room)
  }
}

/** A file that a host offers, and where it goes. */
interface Offer {
  readonly name: string
  /** Holds what has come so far. Another version of the file has another one. */
  readonly partial: SafePath
  readonly total: number | undefined
  /** What the host calls this version of the file; with it a later run can go on. */
  readonly validator: string | undefined
  /** Whether the host gives parts of files. */
  readonly givesParts: boolean
}

async function download(url: URL, room: StepRoom): Promise<void> {
  room.say(`Downloading: ${printableUrl(url)}`)
  let offer: Offer | undefined
  const learn = (learned: Offer) => {
    offer = learned
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptDownload(url, room, offer, learn)
    } catch (error) {
      if (room.signal.aborted || !(error instanceof FetchFailure) || !error.mayPass) throw error
      if (attempt >= limits.downloadTries) {
        throw new Error(`${printableUrl(url)} failed ${attempt} times, at last: ${error.message}`, { cause: error })
      }
      room.say(`${error.message}. Trying again (${attempt + 1} of ${limits.downloadTries})`)
      await delay(limits.downloadRetryMs * attempt, undefined, { signal: room.signal })
    }
  }
}

async function attemptDownload(
  url: URL,
  room: StepRoom,
  known: Offer | undefined,
  learn: (offer: Offer) => void,
): Promise<void> {
  const have = known ? await sizeOfPartial(known, room) : 0
  if (known && have > 0) {
    await using rest = await askForRest(url, known, have, room)
    if (rest) return await store(known, rest, have, room)
  }

  await using fetched = await room.fetch(url, { maxBytes: limits.downloadBytes, signal: room.signal })
  if (fetched.status >= 300) throw new Error(`${printableUrl(url)} was answered with ${statusText(fetched.status)}`)
  const offer = offerOf(url, fetched)
  learn(offer)
  if (offer.total !== undefined && offer.total > limits.downloadBytes) {
    throw new Error(`${offer.name} has ${formatSize(offer.total)}, and ${formatSize(limits.downloadBytes)} are allowed`)
  }
  const left = offer.validator === undefined ? 0 : await sizeOfPartial(offer, room)
  if (left > 0 && left === offer.total) return await finish(offer, room)
  if (left > 0) {
    await using rest = await askForRest(url, offer, left, room)
    if (rest) return await store(offer, rest, left, room)
  }
  await removePartials(offer, room)
  await store(offer, fetched, 0, room)
}

/** Asks for what is still missing; `undefined` when the host does not give it, or has another file by now. */
async function askForRest(url: URL, offer: Offer, have: number, room: StepRoom): Promise<Fetched | undefined> {
  if (!offer.givesParts) return undefined
  const headers = {
    range: `bytes=${have}-`,
    ...(offer.validator === undefined ? {} : { 'if-range': offer.validator }),
  }
  const rest = await room.fetch(url, { headers, maxBytes: limits.downloadBytes - have, signal: room.signal })
  const range = /^bytes (?<from>\d+)-\d+\/(?<total>\d+|\*)$/.exec(rest.headers['content-range'] ?? '')?.groups
  const isSameFile = offer.total === undefined ? offer.validator !== undefined : range?.total === String(offer.total)
  if (rest.status === 206 && range?.from === String(have) && isSameFile) {
    room.say(`Going on with ${offer.name} after ${formatSize(have)}`)
    return rest
  }
  await rest[Symbol.asyncDispose]()
  return undefined
}

/** Writes what comes behind what is there, and gives the file its name when it is whole. */
async function store(offer: Offer, fetched: Fetched, have: number, room: StepRoom): Promise<void> {
  await refuseIfFull(offer, have, room)
  const progress = new Progress(offer.name, have, offer.total, room.say)
  try {
    await using file = await room.files.open(offer.partial, 'append')
    for await (const part of fetched.body) {
      await file.appendFile(part)
      progress.add(part.length)
    }
    await file.sync()
  } catch (error) {
    // What cannot be finished must not keep the disk full.
    if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(codeOf(error))) await room.files.removeTree(offer.partial)
    throw error
  }
  if (offer.total !== undefined && progress.done !== offer.total) {
    await room.files.removeTree(offer.partial)
    throw new FetchFailure('broken', `${offer.name} should have ${offer.total} bytes, but ${progress.done} came`)
  }
  await finish(offer, room)
}

async function finish({ name, partial }: Offer, { files, say }: StepRoom): Promise<void> {
  const target = childOf(rootPath, name)
  const before = await files.lstat(target)
  if (before?.kind === 'folder') throw new Error(`there is a folder of the name ${name} already`)
  const size = (await files.stat(partial))?.size ?? 0
  await files.rename(partial, target)
  say(`Downloaded ${name} (${formatSize(size)})`)
}

function offerOf(url: URL, { headers, url: source }: Fetched): Offer {
  const name = fileNameOf(headers['content-disposition'], source, url)
  const { etag, 'last-modified': modified } = headers
  // A weak tag does not promise the same bytes.
  const validator = etag !== undefined && !etag.startsWith('W/') ? etag : modified
  const length = headers['content-length']
  const total = length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined
  const version = createHash('sha256')
    .update(JSON.stringify([url.href, validator, total]))
    .digest('hex')
  const partial = childOf(rootPath, `${partialPrefix(name)}${version.slice(0, 12)}.part`)
  const givesParts = headers['accept-ranges'] !== 'none' && (validator !== undefined || total !== undefined)
  return { name, partial, total, validator, givesParts }
}

const partialPrefix = (name: string): string => `.${name}.`

async function sizeOfPartial({ partial }: Offer, { files }: StepRoom): Promise<number> {
  const there = await files.lstat(partial)
  return there?.kind === 'file' ? there.size : 0
}

/** Removes what was begun of this file, of whichever version. */
async function removePartials({ name }: Offer, { files }: StepRoom): Promise<void> {
  for (const { name: there } of await files.readdir(rootPath)) {
    const version = there.startsWith(partialPrefix(name)) ? there.slice(partialPrefix(name).length) : ''
    if (/^[0-9a-f]{12}\.part$/.test(version)) await files.removeTree(childOf(rootPath, there))
  }
}

async function refuseIfFull({ name, total }: Offer, have: number, { files }: StepRoom): Promise<void> {
  const free = await files.freeBytes()
  const missing = (total ?? 0) - have
  if (missing > free) {
    throw new Error(`the disk is full: ${name} needs ${formatSize(missing)} more, and ${formatSize(free)} are free`)
  }
}

function readAddress(text: string): URL {
  const url = URL.parse(text)
  if (url && ['http:', 'https:'].includes(url.protocol)) return url
  throw new Error(`${text.replace(/\/\/[^/]*@/, '//')} is not an http or https address`)
}

const statuses: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  410: 'Gone',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

const statusText = (status: number): string => `${status} ${statuses[status] ?? ''}`.trim()
