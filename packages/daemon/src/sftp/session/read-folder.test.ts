import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type FileInfo, getFileInfo } from '../../files/read/file-info.ts'
import type { RootFs } from '../../files/root.ts'
import { Fields, PacketWriter, requests } from '../protocol/wire.ts'
import { HandleLimiter } from './handle-limiter.ts'
import { Handles } from './handles.ts'
import { serve } from './operations.ts'

/** The entries of a directory whose disk fails after them. */
async function* batchesBeforeFailure(...batches: FileInfo[][]): AsyncGenerator<FileInfo[]> {
  yield* batches
  throw new Error('EIO')
}

test('entries that were read before an error are sent, and the next request fails', async () => {
  await using handles = new Handles(new HandleLimiter({ total: 10, perOwner: 10 }).of(1))
  const stats = statSync('.', { bigint: true })
  const batches = batchesBeforeFailure([getFileInfo('a', stats)], [getFileInfo('b', stats)])
  const handle = handles.add({ type: 'folder', batches, next: undefined, waiting: [] })
  const context = {
    handles,
    files: {} as RootFs,
    maxHandles: 1,
    linkPathLast: false,
    requirePermission: () => {},
    changes: { record: () => {}, hasWritten: () => false },
  }
  const body = new PacketWriter(requests.readdir)
    .string(Buffer.from([0, 0, 0, handle]))
    .packet()
    .subarray(5)
  const packet = { type: requests.readdir, body, memory: body }
  const read = () => serve(context, packet, 1, new Fields(packet))

  const first = await read()

  // After length, type and ID.
  expect(first.readUInt32BE(9)).toBe(2)
  await expect(read()).rejects.toThrow('EIO')
})
