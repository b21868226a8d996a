import { posix } from 'node:path'
import type { FileChangeType } from '@innkeeper/contract/activity/file-changes'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { SftpOperation } from '@innkeeper/contract/node-link/sftp'
import type { DiskSpace } from '@innkeeper/contract/servers/status'
import { isTemporary } from '../../files/path/names.ts'
import { findParent, formatPath, getName, parseExistingPath, type SafePath } from '../../files/path/safe-path.ts'
import { type FileInfo, getFileInfo } from '../../files/read/file-info.ts'
import type { Flags } from '../../files/read/opening.ts'
import type { RootFs, Space } from '../../files/root.ts'
import { isOutOfSpace, type Overwriting } from '../../files/tree/former-content.ts'
import { type AttributeChanges, getLongName, readAttributes, writeAttributes } from '../protocol/attributes.ts'
import { SftpStatusError } from '../protocol/status-error.ts'
import {
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
  responses,
  statuses,
  statusPacket,
} from '../protocol/wire.ts'
import type { Handles, OpenFile } from './handles.ts'

export interface RequestContext {
  readonly files: RootFs
  readonly handles: Handles
  /** Throws a refusal without the current permission. */
  readonly requirePermission: (operation: SftpOperation) => void
  /** Maximum number of open files. */
  readonly maxHandles: number
  /** Old clients send the paths of SYMLINK in the order of the standard, most in that of OpenSSH. */
  readonly linkPathLast: boolean
  /** For the activity. */
  readonly changes: {
    readonly record: (type: FileChangeType, path: string) => void
    /** Whether the session has just written the file. */
    readonly hasWritten: (path: string) => boolean
  }
}

type Handler = (context: RequestContext, id: number, fields: Fields) => Promise<Buffer>

/** Handles all requests other than READ and WRITE, which are merged. */
export async function serve(context: RequestContext, packet: Packet, id: number, fields: Fields): Promise<Buffer> {
  const handler = handlers[packet.type]
  if (!handler) throw new SftpStatusError(statuses.opUnsupported, 'This operation is not supported.')
  return await handler(context, id, fields)
}

const handlers: Readonly<Record<number, Handler>> = {
  [requests.open]: open,

  async [requests.close]({ handles }, id, fields) {
    if (!(await handles.close(fields.string()))) throw invalidHandle()
    return done(id)
  },

  async [requests.lstat]({ files, requirePermission }, id, fields) {
    requirePermission('stat')
    return attributesIfFound(id, await files.lstat(pathIn(fields)))
  },

  async [requests.stat]({ files, requirePermission }, id, fields) {
    requirePermission('stat')
    return attributesIfFound(id, await files.stat(pathIn(fields)))
  },

  async [requests.fstat]({ handles, requirePermission }, id, fields) {
    requirePermission('stat')
    const { file } = fileOfHandle(handles, fields)
    return attributes(id, getFileInfo('', await file.stat({ bigint: true })))
  },

  async [requests.setstat]({ files, handles, requirePermission, changes: log }, id, fields) {
    requirePermission('setStat')
    const path = pathIn(fields)
    const changes = readAttributes(fields)
    if (changes.size === 0) await empty({ files, handles }, path)
    if (isAny(changes)) await files.setStat(path, changes)
    else found(await files.stat(path))
    recordAttributes(log, path, changes)
    return done(id)
  },

  async [requests.fsetstat]({ files, handles, requirePermission, changes: log }, id, fields) {
    requirePermission('setStat')
    const open = fileOfHandle(handles, fields)
    const { file, mayWrite } = open
    const changes = readAttributes(fields)
    if (changes.size !== undefined && !mayWrite)
      throw new SftpStatusError(statuses.permissionDenied, 'The file is not open for writing.')
    if (changes.size !== undefined) {
      // Emptying overwrites, however the file was opened.
      if (changes.size === 0 && !open.former) open.keptBelow = Math.max(open.keptBelow, (await file.stat()).size)
      await keepBeforeChange(files, open, changes.size)
    }
    await files.setStat(file, changes)
    recordAttributes(log, open.path, changes)
    return done(id)
  },

  async [requests.opendir]({ files, handles, requirePermission }, id, fields) {
    requirePermission('list')
    handles.assertCapacity()
    const path = pathIn(fields)
    if (found(await files.stat(path)).kind !== 'folder')
      throw new SftpStatusError(statuses.failure, 'This is not a directory.')
    const batches = files.list(path)[Symbol.asyncIterator]()
    return handlePacket(id, handles.add({ type: 'folder', batches, next: undefined, waiting: [] }))
  },

  [requests.readdir]: readFolder,

  async [requests.remove]({ files, requirePermission, changes }, id, fields) {
    requirePermission('remove')
    const path = pathIn(fields)
    if (found(await files.lstat(path)).kind === 'folder')
      throw new SftpStatusError(statuses.failure, 'This is a directory.')
    await files.discard(path)
    changes.record('delete', formatPath(path))
    return done(id)
  },

  async [requests.rmdir]({ files, requirePermission, changes }, id, fields) {
    requirePermission('removeFolder')
    const path = notRoot(pathIn(fields))
    if (found(await files.lstat(path)).kind !== 'folder')
      throw new SftpStatusError(statuses.failure, 'This is not a directory.')
    if (!(await files.discardEmptyFolder(path)))
      throw new SftpStatusError(statuses.failure, 'The directory is not empty.')
    changes.record('delete', formatPath(path))
    return done(id)
  },

  async [requests.mkdir]({ files, requirePermission, changes }, id, fields) {
    requirePermission('makeFolder')
    const path = pathIn(fields)
    await files.mkdir(notRoot(path), newMode(readAttributes(fields), 0o777))
    changes.record('write', formatPath(path))
    return done(id)
  },

  async [requests.realpath]({ requirePermission }, id, fields) {
    requirePermission('resolve')
    const path = formatPath(pathIn(fields))
    return new PacketWriter(responses.name).u32(id).u32(1).string(path).string(path).u32(0).packet()
  },

  async [requests.rename](context, id, fields) {
    await rename(context, fields, 'refuse')
    return done(id)
  },

  async [requests.readlink]({ files, requirePermission }, id, fields) {
    requirePermission('readLink')
    const path = pathIn(fields)
    if (found(await files.lstat(path)).kind !== 'link')
      throw new SftpStatusError(statuses.failure, 'This is not a link.')
    const target = await files.readlink(path)
    return new PacketWriter(responses.name).u32(id).u32(1).string(target).string(target).u32(0).packet()
  },

  async [requests.symlink]({ files, requirePermission, linkPathLast, changes }, id, fields) {
    requirePermission('makeLink')
    const [first, second] = [fields.text(), fields.text()]
    const [target, link] = linkPathLast ? [first, second] : [second, first]
    const path = notRoot(parsePath(link))
    await files.symlink(target, path)
    changes.record('write', formatPath(path))
    return done(id)
  },

  async [requests.extended](context, id, fields) {
    const name = fields.text()
    // Only supported extensions; hard links are reported differently from unknown ones.
    if (name === 'hardlink@openssh.com')
      throw new SftpStatusError(statuses.permissionDenied, 'Hard links are not supported.')
    if (!isExtension(name)) throw new SftpStatusError(statuses.opUnsupported, 'This operation is not supported.')
    return await extended[name](context, id, fields)
  },
}

const extended: Readonly<Record<Extension, Handler>> = {
  async 'posix-rename@openssh.com'(context, id, fields) {
    await rename(context, fields, 'replace')
    return done(id)
  },

  async 'statvfs@openssh.com'({ files, requirePermission }, id, fields) {
    requirePermission('stat')
    found(await files.stat(pathIn(fields)))
    return await space(files, id)
  },

  async 'fstatvfs@openssh.com'({ files, handles, requirePermission }, id, fields) {
    requirePermission('stat')
    if (!handles.find(fields.string())) throw invalidHandle()
    return await space(files, id)
  },

  async 'fsync@openssh.com'({ handles, requirePermission }, id, fields) {
    requirePermission('write')
    await fileOfHandle(handles, fields).file.sync()
    return done(id)
  },

  async 'limits@openssh.com'({ maxHandles }, id) {
    const reply = new PacketWriter(responses.extendedReply).u32(id)
    return reply.u64(packetBytes).u64(dataBytes).u64(dataBytes).u64(maxHandles).packet()
  },
}

async function rename(
  { files, requirePermission, changes }: RequestContext,
  fields: Fields,
  onConflict: 'refuse' | 'replace',
): Promise<void> {
  requirePermission('rename')
  const [from, to] = [notRoot(pathIn(fields)), notRoot(pathIn(fields))]
  await files.rename(from, to, { onConflict })
  changes.record('move', `${formatPath(from)} → ${formatPath(to)}`)
}

/** Records the first change of an open file: a file is one change, however many packets write it. */
export function recordWrite({ changes }: Pick<RequestContext, 'changes'>, open: OpenFile): void {
  if (open.isRecorded) return
  open.isRecorded = true
  changes.record('write', formatPath(open.path))
}

/** Clients set the times of what they have uploaded: that is part of the upload. */
function recordAttributes(log: RequestContext['changes'], path: SafePath, changes: AttributeChanges): void {
  const text = formatPath(path)
  const { size, mode, accessed, modified } = changes
  if (size !== undefined) log.record('write', text)
  const hasTimes = accessed !== undefined || modified !== undefined
  if (mode !== undefined || (hasTimes && !log.hasWritten(text))) log.record('attributes', text)
}

/** The permissions of a new file or directory, without write permission for others, as OpenSSH's default umask. */
function newMode({ mode }: AttributeChanges, missing: number): number {
  return (mode ?? missing) & ~0o022
}

/** Maximum bytes of names per packet. */
const listBytes = 64 * 1024

async function readFolder({ handles, requirePermission }: RequestContext, id: number, fields: Fields): Promise<Buffer> {
  requirePermission('list')
  const folder = handles.find(fields.string())
  if (folder?.type !== 'folder') throw invalidHandle()
  const entries = new PacketWriter(0, listBytes)
  let count = 0
  const now = Date.now()
  while (entries.length < listBytes / 2) {
    if (folder.waiting.length === 0) {
      const next = folder.next ?? folder.batches.next()
      folder.next = undefined
      // Entries that were read before an error are sent; the next request throws it.
      const batch = count === 0 ? await next : await next.catch(() => undefined)
      if (!batch) {
        folder.next = next
        break
      }
      if (batch.done && count === 0) throw new SftpStatusError(statuses.eof, 'End of the directory.')
      if (batch.done) break
      folder.waiting = batch.value.filter(({ name }) => !isTemporary(name))
      continue
    }
    let sent = 0
    for (const info of folder.waiting) {
      if (entries.length >= listBytes / 2) break
      writeAttributes(entries.string(info.name).string(getLongName(info, now)), info)
      sent++
    }
    folder.waiting = folder.waiting.slice(sent)
    count += sent
  }
  folder.next ??= folder.batches.next()
  // An error is thrown by the next request.
  folder.next.catch(() => {})
  return new PacketWriter(responses.name, entries.length + 16).u32(id).u32(count).append(entries).packet()
}

async function open(
  { files, handles, requirePermission, changes }: RequestContext,
  id: number,
  fields: Fields,
): Promise<Buffer> {
  const path = pathIn(fields)
  const flags = fields.u32()
  const mode = newMode(readAttributes(fields), 0o666)
  const hasFlag = (flag: number) => (flags & flag) !== 0
  const mayWrite = hasFlag(openFlags.write) || hasFlag(openFlags.append)
  requirePermission(mayWrite || hasFlag(openFlags.create) || hasFlag(openFlags.truncate) ? 'openToWrite' : 'open')
  handles.assertCapacity()
  const opening = {
    read: hasFlag(openFlags.read) || !mayWrite,
    write: mayWrite,
    append: hasFlag(openFlags.append),
    create: mayWrite && hasFlag(openFlags.create),
    exclusive: mayWrite && hasFlag(openFlags.create) && hasFlag(openFlags.exclusive),
    truncate: mayWrite && hasFlag(openFlags.truncate),
    mode,
  }
  const { file, former } = await openFile({ files, handles }, path, opening)
  const mayOverwrite = opening.create && !opening.read && !opening.append && !opening.truncate
  const keptBelow = mayOverwrite ? (await file.stat()).size : 0
  const { read: mayRead, append: isAppending } = opening
  const state = { keptBelow, former, isRecorded: false, failure: undefined }
  const opened: OpenFile = { type: 'file', file, path, mayRead, mayWrite, isAppending, ...state }
  if (opening.create || opening.truncate) recordWrite({ changes }, opened)
  return handlePacket(id, handles.add(opened))
}

async function openFile(
  { files, handles }: Pick<RequestContext, 'files' | 'handles'>,
  path: SafePath,
  flags: Flags,
): Promise<Overwriting> {
  const isMissing = (error: unknown) => error instanceof Refusal && error.code === 'ErrFileNotFound'
  try {
    if (flags.truncate && !flags.exclusive)
      return await files.openToOverwrite(path, flags, (one) => handles.isOpen(one))
  } catch (error) {
    if (!isMissing(error) || !flags.create) throw error
  }
  const opening = files.open(path, flags).catch(async (error: unknown) => {
    const parent = findParent(path)
    if (!isMissing(error) || !flags.create || !parent || parent.length === 0) throw error
    // Parent directories of a new file are created.
    await files.mkdirs(parent)
    return await files.open(path, flags)
  })
  return { file: await opening, former: undefined }
}

async function empty(context: Pick<RequestContext, 'files' | 'handles'>, path: SafePath): Promise<void> {
  const { file, former } = await openFile(context, path, { write: true, truncate: true })
  await file.close()
  await former?.[Symbol.asyncDispose]()
}

/** Keeps the content of an open file, before a change from `offset` on overwrites it. */
export async function keepBeforeChange(files: RootFs, open: OpenFile, offset: number): Promise<void> {
  if (open.failure !== undefined) throw open.failure
  if (offset >= open.keptBelow) return
  open.former = await files.setAside(open.path, open.file)
  open.keptBelow = 0
}

/**
 * How many more bytes the server will use after a write: a change in parts may only replace some. A file whose former
 * content is kept beside it counts as a whole.
 */
export async function readGrowth(files: RootFs, open: OpenFile, offset: number, bytes: number): Promise<number> {
  if (!files.limitedSpace || open.former || open.isAppending) return bytes
  const { size } = await open.file.stat()
  return Math.max(0, offset + bytes - Math.max(offset, size))
}

/** A file whose new content does not fit gets its former content back. */
export async function putBackIfFull(open: OpenFile, error: unknown): Promise<void> {
  if (!open.former || !isOutOfSpace(error)) return
  open.failure ??= error
  await open.former.putBack()
}

async function space(files: RootFs, id: number): Promise<Buffer> {
  const disk = await files.space()
  const { blockSize, files: names, filesFree } = disk
  const { blocks, free, available } = withinLimit(disk, files.limitedSpace)
  const reply = new PacketWriter(responses.extendedReply).u32(id).u64(blockSize).u64(blockSize)
  // Then file system id, flags (nosuid), maximum name length.
  for (const value of [blocks, free, available, names, filesFree, filesFree, 0, 2, 255]) reply.u64(value)
  return reply.packet()
}

/** A server with a limit has a disk of that size, on which the same space is used. */
function withinLimit(disk: Space, limit: DiskSpace | undefined): Pick<Space, 'blocks' | 'free' | 'available'> {
  if (!limit) return disk
  const blocks = Math.floor(limit.limitBytes / disk.blockSize)
  const free = Math.max(0, blocks - Math.ceil(limit.usedBytes / disk.blockSize))
  return { blocks, free, available: Math.min(free, disk.available) }
}

export const done = (id: number): Buffer => statusPacket(id, statuses.ok, '')

export const invalidHandle = (): SftpStatusError => new SftpStatusError(statuses.failure, 'The handle is invalid.')

export function fileOfHandle(handles: Handles, fields: Fields): OpenFile {
  const file = handles.file(fields.string())
  if (!file) throw invalidHandle()
  return file
}

function attributes(id: number, info: FileInfo): Buffer {
  return writeAttributes(new PacketWriter(responses.attrs).u32(id), info).packet()
}

const missing = new Refusal('ErrFileNotFound').message

/** Clients ask for the attributes of each file before an upload: a missing file must be cheap, without an exception. */
function attributesIfFound(id: number, info: FileInfo | undefined): Buffer {
  return info ? attributes(id, info) : statusPacket(id, statuses.noSuchFile, missing)
}

function found(info: FileInfo | undefined): FileInfo {
  if (!info) throw new Refusal('ErrFileNotFound')
  return info
}

const isAny = (changes: AttributeChanges): boolean => Object.keys(changes).length > 0

const pathIn = (fields: Fields): SafePath => parsePath(fields.text())

/** `/` is the server's directory, and `..` there stays there, as in any root. */
function parsePath(text: string): SafePath {
  return parseExistingPath(text.includes('..') ? posix.normalize(`/${text}`) : text)
}

function notRoot(path: SafePath): SafePath {
  if (getName(path) === '') throw new SftpStatusError(statuses.permissionDenied, 'This is the root directory.')
  return path
}
