import { posix } from 'node:path'
import { Refusal } from '@innkeeper/contract/refusals'
import type { SftpOperation } from '@innkeeper/contract/sftp'
import { formatPath, nameOf, parentOf, parsePath, type SafePath } from '../../files/path/safe-path.ts'
import { type FileInfo, fileInfoOf } from '../../files/read/file-info.ts'
import type { OpenedFile } from '../../files/read/opened-file.ts'
import type { MaybePromise } from '../../files/read/sync-fast-path.ts'
import type { RootFs } from '../../files/root.ts'
import { isTemporary } from '../../files/write/temporary.ts'
import { longNameOf, readAttributes, type WantedAttributes, writeAttributes } from '../protocol/attributes.ts'
import {
  answers,
  dataBytes,
  type Extension,
  type Fields,
  handlePacket,
  isExtension,
  openFlags,
  type Packet,
  PacketWriter,
  packetBytes,
  requests,
  type Status,
  statuses,
  statusPacket,
} from '../protocol/wire.ts'
import type { Handles, OpenFile } from './handles.ts'

export interface Ground {
  readonly files: RootFs
  readonly handles: Handles
  /** @throws Refusal without the right of this moment. */
  readonly expect: (operation: SftpOperation) => void
  /** How many files one may have open. */
  readonly mostHandles: number
  /** Old clients send the two paths of SYMLINK in the order of the standard, most in that of OpenSSH. */
  readonly linkComesLast: boolean
}

/** An expected no in the words of the protocol. */
export class Declined extends Error {
  override readonly name = 'Declined'
  readonly status: Status

  constructor(status: Status, words: string) {
    super(words)
    this.status = status
  }
}

type Verb = (ground: Ground, id: number, fields: Fields) => MaybePromise<Buffer>

/** Serves one request that is neither READ nor WRITE: these come in runs. */
export function serve(ground: Ground, packet: Packet, id: number, fields: Fields): MaybePromise<Buffer> {
  const verb = verbs[packet.type]
  if (!verb) throw new Declined(statuses.opUnsupported, 'This is not supported.')
  return verb(ground, id, fields)
}

const verbs: Readonly<Record<number, Verb>> = {
  [requests.open]: open,

  [requests.close]({ handles }, id, fields) {
    const closing = handles.close(fields.string())
    if (!closing) throw noHandle()
    return then(closing.closed, () => done(id))
  },

  [requests.lstat]({ files, expect }, id, fields) {
    expect('stat')
    return then(files.statMaybeSync(pathIn(fields), { followLast: false }), (info) => attributesIfFound(id, info))
  },

  [requests.stat]({ files, expect }, id, fields) {
    expect('stat')
    return then(files.statMaybeSync(pathIn(fields), { followLast: true }), (info) => attributesIfFound(id, info))
  },

  [requests.fstat]({ handles, expect }, id, fields) {
    expect('stat')
    const { file } = fileAt(handles, fields)
    return then(file.stat(), (stats) => attributes(id, fileInfoOf('', stats)))
  },

  [requests.setstat]({ files, expect }, id, fields) {
    expect('setStat')
    const path = pathIn(fields)
    const wanted = readAttributes(fields)
    if (isAny(wanted)) return then(files.setStatMaybeSync(path, wanted), () => done(id))
    return then(files.statMaybeSync(path, { followLast: true }), (info) => found(info) && done(id))
  },

  [requests.fsetstat]({ handles, expect }, id, fields) {
    expect('setStat')
    const { file, mayWrite } = fileAt(handles, fields)
    const wanted = readAttributes(fields)
    if (wanted.size !== undefined && !mayWrite)
      throw new Declined(statuses.permissionDenied, 'It is not open to write.')
    return then(isAny(wanted) ? file.set(wanted) : undefined, () => done(id))
  },

  async [requests.opendir]({ files, handles, expect }, id, fields) {
    expect('list')
    handles.expectRoom()
    const path = pathIn(fields)
    if (found(await files.stat(path)).kind !== 'folder') throw new Declined(statuses.failure, 'This is not a folder.')
    const batches = files.list(path)[Symbol.asyncIterator]()
    return handlePacket(id, handles.add({ is: 'folder', batches, waiting: [] }))
  },

  [requests.readdir]: readFolder,

  async [requests.remove]({ files, expect }, id, fields) {
    expect('remove')
    const path = pathIn(fields)
    if (found(await files.lstat(path)).kind === 'folder') throw new Declined(statuses.failure, 'This is a folder.')
    await files.removeTree(path)
    return done(id)
  },

  async [requests.rmdir]({ files, expect }, id, fields) {
    expect('removeFolder')
    const path = notRoot(pathIn(fields))
    if (found(await files.lstat(path)).kind !== 'folder') throw new Declined(statuses.failure, 'This is not a folder.')
    await files.removeTree(path)
    return done(id)
  },

  async [requests.mkdir]({ files, expect }, id, fields) {
    expect('makeFolder')
    const path = pathIn(fields)
    if (await files.lstat(path)) throw new Refusal('ErrFileExists')
    await files.mkdirs(path)
    return done(id)
  },

  [requests.realpath]({ expect }, id, fields) {
    expect('resolve')
    const path = formatPath(pathIn(fields))
    return new PacketWriter(answers.name).u32(id).u32(1).string(path).string(path).u32(0).packet()
  },

  async [requests.rename]({ files, expect }, id, fields) {
    expect('rename')
    await files.rename(notRoot(pathIn(fields)), notRoot(pathIn(fields)), { existing: 'refuse' })
    return done(id)
  },

  async [requests.readlink]({ files, expect }, id, fields) {
    expect('readLink')
    const path = pathIn(fields)
    if (found(await files.lstat(path)).kind !== 'link') throw new Declined(statuses.failure, 'This is not a link.')
    const target = await files.readlink(path)
    return new PacketWriter(answers.name).u32(id).u32(1).string(target).string(target).u32(0).packet()
  },

  async [requests.symlink]({ files, expect, linkComesLast }, id, fields) {
    expect('makeLink')
    const [first, second] = [fields.text(), fields.text()]
    const [target, link] = linkComesLast ? [first, second] : [second, first]
    await files.symlink(target, notRoot(pathOf(link)))
    return done(id)
  },

  [requests.extended](ground, id, fields) {
    const name = fields.text()
    // Ours alone may be asked by name; hard links have no place here and are told apart from what is unknown.
    if (name === 'hardlink@openssh.com') throw new Declined(statuses.permissionDenied, 'There are no hard links here.')
    if (!isExtension(name)) throw new Declined(statuses.opUnsupported, 'This is not supported.')
    return extended[name](ground, id, fields)
  },
}

const extended: Readonly<Record<Extension, Verb>> = {
  async 'posix-rename@openssh.com'({ files, expect }, id, fields) {
    expect('rename')
    await files.rename(notRoot(pathIn(fields)), notRoot(pathIn(fields)), { existing: 'replace' })
    return done(id)
  },

  async 'statvfs@openssh.com'({ files, expect }, id, fields) {
    expect('stat')
    found(await files.stat(pathIn(fields)))
    return await space(files, id)
  },

  async 'fstatvfs@openssh.com'({ files, handles, expect }, id, fields) {
    expect('stat')
    if (!handles.find(fields.string())) throw noHandle()
    return await space(files, id)
  },

  async 'fsync@openssh.com'({ handles, expect }, id, fields) {
    expect('write')
    await fileAt(handles, fields).file.sync()
    return done(id)
  },

  'limits@openssh.com'({ mostHandles }, id) {
    const answer = new PacketWriter(answers.extendedReply).u32(id)
    return answer.u64(packetBytes).u64(dataBytes).u64(dataBytes).u64(mostHandles).packet()
  },
}

/** So many bytes of a list go into one packet. */
const listBytes = 64 * 1024

async function readFolder({ handles, expect }: Ground, id: number, fields: Fields): Promise<Buffer> {
  expect('list')
  const folder = handles.find(fields.string())
  if (folder?.is !== 'folder') throw noHandle()
  const entries = new PacketWriter(0, listBytes)
  let count = 0
  const now = Date.now()
  while (entries.length < listBytes / 2) {
    if (folder.waiting.length === 0) {
      // One packet tells what is at hand; more is read when more is asked.
      if (count > 0) break
      const next = await folder.batches.next()
      if (next.done) throw new Declined(statuses.eof, 'The list is at its end.')
      folder.waiting = next.value.filter(({ name }) => !isTemporary(name))
      continue
    }
    let told = 0
    for (const info of folder.waiting) {
      if (entries.length >= listBytes / 2) break
      writeAttributes(entries.string(info.name).string(longNameOf(info, now)), info)
      told++
    }
    folder.waiting = folder.waiting.slice(told)
    count += told
  }
  return new PacketWriter(answers.name, entries.length + 16).u32(id).u32(count).append(entries).packet()
}

function open({ files, handles, expect }: Ground, id: number, fields: Fields): MaybePromise<Buffer> {
  const path = pathIn(fields)
  const flags = fields.u32()
  readAttributes(fields)
  const asks = (flag: number) => (flags & flag) !== 0
  const mayWrite = asks(openFlags.write) || asks(openFlags.append)
  expect(mayWrite || asks(openFlags.create) || asks(openFlags.truncate) ? 'openToWrite' : 'open')
  handles.expectRoom()
  const opening = {
    read: asks(openFlags.read) || !mayWrite,
    write: mayWrite,
    append: asks(openFlags.append),
    create: mayWrite && asks(openFlags.create),
    exclusive: mayWrite && asks(openFlags.create) && asks(openFlags.exclusive),
    truncate: mayWrite && asks(openFlags.truncate),
  }
  const opened = files.openForPieces(path, opening)
  const open = (file: OpenedFile) =>
    handlePacket(id, handles.add({ is: 'file', file, mayRead: opening.read, mayWrite }))
  if (!(opened instanceof Promise)) return open(opened)
  return opened
    .catch(async (error: unknown) => {
      const parent = parentOf(path)
      const isMissing = error instanceof Refusal && error.code === 'ErrFileNotFound'
      if (!isMissing || !opening.create || !parent || parent.length === 0) throw error
      // Folders on the way to a new file are made with it.
      await files.mkdirs(parent)
      return await files.openForPieces(path, opening)
    })
    .then(open)
}

async function space(files: RootFs, id: number): Promise<Buffer> {
  const { blockSize, blocks, free, files: names, filesFree } = await files.space()
  const answer = new PacketWriter(answers.extendedReply).u32(id).u64(blockSize).u64(blockSize)
  // Free for everybody and free for us is the same here; then an id, flags (no setuid), the longest name.
  for (const value of [blocks, free, free, names, filesFree, filesFree, 0, 2, 255]) answer.u64(value)
  return answer.packet()
}

/** Goes on with what is told at once or later. */
function then<T, U>(soon: MaybePromise<T>, go: (told: T) => U): MaybePromise<U> {
  return soon instanceof Promise ? soon.then(go) : go(soon)
}

export const done = (id: number): Buffer => statusPacket(id, statuses.ok, '')

export const noHandle = (): Declined => new Declined(statuses.failure, 'Nothing is open by this handle.')

export function fileAt(handles: Handles, fields: Fields): OpenFile {
  const file = handles.file(fields.string())
  if (!file) throw noHandle()
  return file
}

function attributes(id: number, info: FileInfo): Buffer {
  return writeAttributes(new PacketWriter(answers.attrs).u32(id), info).packet()
}

const missing = new Refusal('ErrFileNotFound').message

/** Clients ask for each file that they bring whether it is there: nothing is thrown for it. */
function attributesIfFound(id: number, info: FileInfo | undefined): Buffer {
  return info ? attributes(id, info) : statusPacket(id, statuses.noSuchFile, missing)
}

function found(info: FileInfo | undefined): FileInfo {
  if (!info) throw new Refusal('ErrFileNotFound')
  return info
}

const isAny = (wanted: WantedAttributes): boolean => Object.keys(wanted).length > 0

const pathIn = (fields: Fields): SafePath => pathOf(fields.text())

/** `/` is the folder of the server, and nothing is above it: `..` there stays there, as in any root. */
function pathOf(text: string): SafePath {
  return parsePath(text.includes('..') ? posix.normalize(`/${text}`) : text)
}

function notRoot(path: SafePath): SafePath {
  if (nameOf(path) === '') throw new Declined(statuses.permissionDenied, 'This is the folder of the server.')
  return path
}
