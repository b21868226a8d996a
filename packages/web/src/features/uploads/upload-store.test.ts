import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { storeToken } from '../../api/token.ts'
import { FilePanel, refuse } from '../../testing/file-panel.ts'
import { getSelectedItems, type PickedItem } from './items.ts'
import { isBusy, isIdle } from './queue.ts'
import { chunkBytes } from './resumable-upload.ts'
import { listResumableUploads, saveResumableUpload } from './resume-store.ts'
import { maxSingleRequestBytes } from './upload-file.ts'
import { UploadStore } from './upload-store.ts'

let panel: FilePanel
let store: UploadStore
beforeEach(async () => {
  panel = await FilePanel.open()
  store = new UploadStore()
})
afterEach(async () => {
  store.close()
  await panel.close()
})

const getFile = (name: string, content: BlobPart = name) => new File([content], name, { lastModified: 1 })
const picked = (...files: File[]) => getSelectedItems(files)
const states = () => store.getQueue().uploads.map(({ path, state }) => `${path} ${state.status}`)
const atRest = () => vi.waitFor(() => expect(isIdle(store.getQueue())).toBe(true), { timeout: 5_000 })
const until = (claim: () => boolean) => vi.waitFor(() => expect(claim()).toBe(true), { timeout: 5_000 })

/** Larger than what goes in one request; the bytes differ from place to place. */
function largeFile(name: string, size = maxSingleRequestBytes + 1_000): File {
  const bytes = new Uint8Array(size)
  for (let index = 0; index < size; index += 997) bytes[index] = index % 251
  return new File([bytes], name, { lastModified: 1 })
}

async function expectWhole(path: string, file: File): Promise<void> {
  const there = panel.files.get(path)?.bytes
  expect(there?.equals(Buffer.from(await file.arrayBuffer())), `${path} is byte for byte what was chosen`).toBe(true)
}

test('files are uploaded one after the other, and the folder is refreshed after the last one', async () => {
  const ends: unknown[] = []
  store.onServerDone((server, folders) => ends.push({ server, folders, there: [...panel.files.keys()] }))
  storeToken('token-of-mara')

  store.add('lobby', 'plugins', picked(getFile('a.yml'), getFile('b.yml')))
  await atRest()

  expect(panel.getText('plugins/a.yml')).toBe('a.yml')
  expect(panel.requests).toEqual(['GET plugins', 'PUT plugins/a.yml', 'PUT plugins/b.yml'])
  expect(panel.authorizations).toEqual(new Set(['Bearer token-of-mara']))
  await until(() => ends.length > 0)
  expect(ends).toEqual([{ server: 'lobby', folders: ['plugins'], there: ['plugins/a.yml', 'plugins/b.yml'] }])
})

test('a name conflict waits for a decision while other uploads continue, and the existing file stays', async () => {
  panel.put('config.yml', 'theirs')

  store.add('lobby', '', picked(getFile('config.yml', 'mine'), getFile('other.yml')))
  await until(() => !isBusy(store.getQueue()))

  expect(states()).toEqual(['config.yml conflict', 'other.yml done'])
  expect(panel.getText('config.yml')).toBe('theirs')

  store.choose(1, 'replace', false)
  await atRest()

  expect(panel.getText('config.yml')).toBe('mine')
})

test('keeping both leaves the first as it is', async () => {
  panel.put('config.yml', 'theirs')
  store.add('lobby', '', picked(getFile('config.yml', 'mine')))
  await until(() => states()[0] === 'config.yml conflict')

  store.choose(1, 'keepBoth', false)
  await atRest()

  expect([panel.getText('config.yml'), panel.getText('config (2).yml')]).toEqual(['theirs', 'mine'])
})

test('the node has the last word on whether a name is taken', async () => {
  panel.intercept = ({ method }) => {
    // It appears between the listing and the upload.
    if (method === 'PUT' && !panel.files.has('config.yml')) panel.put('config.yml', 'theirs')
    return false
  }

  store.add('lobby', '', picked(getFile('config.yml', 'mine')))
  await until(() => states()[0] === 'config.yml conflict')

  expect(panel.getText('config.yml')).toBe('theirs')
})

test('a selected folder is uploaded with its subfolders', async () => {
  const stone = getFile('stone.png')
  Object.defineProperty(stone, 'webkitRelativePath', { value: 'textures/block/stone.png' })

  store.add('lobby', 'packs', picked(stone))
  await atRest()

  expect(panel.requests).toEqual(['GET packs', 'PUT packs/textures/block', 'PUT packs/textures/block/stone.png'])
  expect(panel.getText('packs/textures/block/stone.png')).toBe('stone.png')
})

test('a dropped folder is uploaded with its subfolders, including empty ones', async () => {
  const tree = folderEntry('world', [folderEntry('region', [fileEntry('r.0.0.mca')]), folderEntry('empty', [])])

  store.add('lobby', '', [{ type: 'folder', path: 'world', entry: tree }])
  await until(() => panel.folders.has('world/empty') && isIdle(store.getQueue()))

  expect(panel.getText('world/region/r.0.0.mca')).toBe('r.0.0.mca')
})

test('a folder that the browser cannot read is rejected, and the other files are uploaded', async () => {
  const items: PickedItem[] = [{ type: 'unreadableFolder', path: 'textures' }, ...picked(getFile('a.yml'))]

  store.add('lobby', '', items)
  await until(() => panel.files.has('a.yml') && isIdle(store.getQueue()))

  const refused = store.getQueue().uploads.find(({ path }) => path === 'textures')
  expect(refused?.state).toMatchObject({
    status: 'failed',
    canRetry: false,
    error: { code: 'ErrDirectoryUploadNotSupported' },
  })
})

test('a refusal fails one file only, and its upload can be retried', async () => {
  panel.intercept = (request, response) => {
    if (request.method !== 'PUT' || !request.url?.endsWith('/a.yml')) return false
    refuse(response, 'ErrDisk')
    return true
  }

  store.add('lobby', '', picked(getFile('a.yml'), getFile('b.yml')))
  await atRest()
  expect(states()).toEqual(['a.yml failed', 'b.yml done'])

  panel.intercept = () => false
  store.retry(1)
  await atRest()
  expect(states()).toEqual(['a.yml done', 'b.yml done'])
})

test('a large file is uploaded in chunks, each with the current token', async () => {
  const file = largeFile('world.zip')
  storeToken('first')
  panel.intercept = ({ method }) => {
    if (method === 'POST') storeToken('second')
    return false
  }

  store.add('lobby', 'backups', picked(file))
  await atRest()

  await expectWhole('backups/world.zip', file)
  expect(panel.requests.map((asked) => asked.split(' ')[0])).toEqual(['GET', 'POST', 'PATCH'])
  expect([...panel.authorizations]).toEqual(['Bearer first', 'Bearer second'])
  expect(listResumableUploads()).toEqual([])
})

test('a connection that breaks three times only resends the bytes in flight', async () => {
  const file = largeFile('world.zip', chunkBytes + 1_000)
  let breaks = 0
  panel.intercept = (request, response) => {
    const isWanted = breaks < 3 && (request.method === 'PATCH' || (request.method === 'HEAD' && breaks === 1))
    if (!isWanted) return false
    breaks += 1
    response.destroy()
    request.destroy()
    return true
  }

  store.add('lobby', '', picked(file))
  await until(() => {
    const [upload] = store.getQueue().uploads
    return upload?.state.status === 'running' && upload.state.isStalled
  })
  // The browser is online again: no pause is waited for.
  const nudge = setInterval(() => window.dispatchEvent(new Event('online')), 20)
  await atRest().finally(() => clearInterval(nudge))

  await expectWhole('world.zip', file)
  expect(panel.requests.filter((asked) => asked.startsWith('POST'))).toHaveLength(1)
  expect(breaks).toBe(3)
})

test('a large upload resumes after its node was briefly unreachable', async () => {
  const file = largeFile('world.zip')
  let refusals = 0
  panel.intercept = (request, response) => {
    if (!['PATCH', 'HEAD'].includes(request.method ?? '') || refusals >= 3) return false
    refusals += 1
    request.resume()
    refuse(response, 'ErrServiceNotAvailable')
    return true
  }

  store.add('lobby', '', picked(file))
  const nudge = setInterval(() => window.dispatchEvent(new Event('online')), 20)
  await atRest().finally(() => clearInterval(nudge))

  await expectWhole('world.zip', file)
  expect(panel.requests.filter((asked) => asked.startsWith('POST'))).toHaveLength(1)
})

test('after a reload the upload of the same file is resumed', async () => {
  const file = largeFile('world.zip')
  panel.intercept = ({ method }, response) => {
    if (method === 'PATCH') response.destroy()
    return method === 'PATCH'
  }
  store.add('lobby', '', picked(file))
  await until(() => panel.requests.some((asked) => asked.startsWith('PATCH')))
  store.close()
  panel.intercept = () => false
  panel.requests.length = 0

  const reloaded = new UploadStore()
  reloaded.add('lobby', '', picked(file))
  await until(() => panel.files.has('world.zip'))
  reloaded.close()

  await expectWhole('world.zip', file)
  expect(panel.requests.map((asked) => asked.split(' ')[0])).toEqual(['GET', 'HEAD', 'PATCH'])
})

test('another file of that name does not resume the upload', async () => {
  const interrupted = { server: 'lobby', upload: '0'.repeat(32), path: 'world.zip', existing: 'refuse' } as const
  saveResumableUpload({ ...interrupted, size: maxSingleRequestBytes + 1_000, lastModified: 2, movedAt: Date.now() })
  const file = largeFile('world.zip')

  store.add('lobby', '', picked(file))
  await atRest()

  await expectWhole('world.zip', file)
  expect(panel.requests.map((asked) => asked.split(' ')[0])).toEqual(['GET', 'POST', 'PATCH'])
})

test('an upload that the node no longer has restarts', async () => {
  const file = largeFile('world.zip')
  let isFirst = true
  panel.intercept = ({ method }, response) => {
    if (method !== 'PATCH' || !isFirst) return false
    isFirst = false
    panel.uploads.clear()
    response.destroy()
    return true
  }

  store.add('lobby', '', picked(file))
  const nudge = setInterval(() => window.dispatchEvent(new Event('online')), 20)
  await atRest().finally(() => clearInterval(nudge))

  await expectWhole('world.zip', file)
  expect(panel.requests.filter((asked) => asked.startsWith('POST'))).toHaveLength(2)
})

test('a server that is away for a moment does not make the node forget an upload', async () => {
  const file = largeFile('world.zip')
  let refusals = 0
  panel.intercept = ({ method, url }, response) => {
    const isWanted = method === 'HEAD' || (method === 'GET' && url?.endsWith('/uploads'))
    if (method === 'PATCH' && refusals === 0) {
      refusals += 1
      response.destroy()
      return true
    }
    if (!isWanted || refusals > 2) return false
    refusals += 1
    refuse(response, 'ErrServerNotFound')
    return true
  }

  store.add('lobby', '', picked(file))
  const nudge = setInterval(() => window.dispatchEvent(new Event('online')), 20)
  await atRest().finally(() => clearInterval(nudge))
  expect(states()).toEqual(['world.zip failed'])
  store.retry(1)
  await atRest()

  await expectWhole('world.zip', file)
  expect(panel.requests.filter((asked) => asked.startsWith('POST'))).toHaveLength(1)
})

test('a name that is taken during a large upload is a conflict, and no partial upload is left on the node', async () => {
  const file = largeFile('world.zip')
  panel.intercept = ({ method }) => {
    if (method === 'PATCH' && !panel.files.has('world.zip')) panel.put('world.zip', 'theirs')
    return false
  }

  store.add('lobby', '', picked(file))
  await until(() => states()[0] === 'world.zip conflict')
  expect(panel.getText('world.zip')).toBe('theirs')
  expect(panel.uploads.size).toBe(0)
  store.choose(1, 'replace', false)
  await atRest()

  await expectWhole('world.zip', file)
})

test('canceling a large upload discards its partial file on the node', async () => {
  let isHeld = false
  panel.intercept = async ({ method }) => {
    if (method === 'PATCH') {
      isHeld = true
      await until(() => store.getQueue().uploads[0]?.state.status === 'canceled')
    }
    return false
  }
  store.add('lobby', '', picked(largeFile('world.zip'), getFile('b.yml')))
  await until(() => isHeld)

  store.cancel(1)
  await atRest()

  await until(() => panel.uploads.size === 0)
  expect(states()).toEqual(['world.zip canceled', 'b.yml done'])
  expect(listResumableUploads()).toEqual([])
})

test('a file that cannot be read any more fails instead of waiting for the network', async () => {
  const file = getFile('a.yml')
  Object.defineProperty(file, 'slice', { value: () => ({ arrayBuffer: () => Promise.reject(new Error('changed')) }) })
  panel.intercept = ({ method }, response) => {
    if (method === 'PUT') response.destroy()
    return method === 'PUT'
  }

  store.add('lobby', '', picked(file))
  await atRest()

  expect(states()).toEqual(['a.yml failed'])
})

function fileEntry(name: string): FileSystemEntry {
  return entry({ name, isFile: true, isDirectory: false, file: (found: (file: File) => void) => found(getFile(name)) })
}

function folderEntry(name: string, inside: readonly FileSystemEntry[]): FileSystemDirectoryEntry {
  const createReader = () => {
    const portions = [...inside.map((one) => [one]), []]
    return { readEntries: (found: (entries: FileSystemEntry[]) => void) => found(portions.shift() ?? []) }
  }
  return entry({ name, isFile: false, isDirectory: true, createReader }) as FileSystemDirectoryEntry
}

/** A dropped entry with the parts of the browser's interface that are used. */
const entry = (parts: object): FileSystemEntry => parts as FileSystemEntry
