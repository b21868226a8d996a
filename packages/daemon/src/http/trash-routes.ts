import * as calls from '@innkeeper/contract/servers/trash'
import { ignoreRefusals } from '../errors/refusals.ts'
import { getName, parseExistingPath } from '../files/path/safe-path.ts'
import type { Registry } from '../servers/registry.ts'
import type { Trash } from '../trash/trash.ts'
import { fileResponse } from './requests/file-response.ts'
import type { Serve } from './requests/serve.ts'

/** The endpoints of the trash of a server. */
export function trashRoutes(serve: Serve, servers: Registry, trash: Trash): void {
  const getTrash = (id: string) => trash.of(servers.get(id).id)

  serve(calls.getTrash, async ({ params }) => {
    const entries = await getTrash(params.id).list()
    const bytes = entries.reduce((sum, entry) => sum + (entry.bytes ?? 0), 0)
    const { maxBytes, days } = trash.options
    return { entries, bytes, maxBytes, days }
  })
  serve(calls.getFileVersions, async ({ params, permissions }) => {
    const path = parseExistingPath(params.path)
    await using files = await servers.get(params.id).openFiles(undefined, () => permissions)
    // The directory of the file may have been deleted.
    const resolved = (await files.realPath(path).catch(ignoreRefusals('ErrFileNotFound'))) ?? path
    return await getTrash(params.id).versions(resolved, await files.lstat(resolved))
  })
  serve(calls.getTrashFile, async ({ params, header, reply, signal, permissions }) => {
    const path = parseExistingPath(params.path)
    await using files = await servers.get(params.id).openFiles(undefined, () => permissions)
    const file = await getTrash(params.id).open(params.entry, path, files)
    return await fileResponse(file, getName(path), { header, reply, signal })
  })
  serve(calls.restoreTrashEntry, async ({ params, body, username, permissions, signal }) => {
    const server = servers.get(params.id)
    await using files = await server.openFiles(server.trashSink({ author: username }), () => permissions)
    await getTrash(params.id).restore(params.entry, files, body.existing, signal)
  })
  serve(calls.deleteTrashEntry, ({ params }) => getTrash(params.id).remove(params.entry))
  serve(calls.emptyTrash, ({ params }) => getTrash(params.id).empty())
}
