import type { Endpoint } from '@innkeeper/contract/endpoint'
import * as calls from '@innkeeper/contract/trash'
import type { Registry } from '../servers/registry.ts'
import type { Trash } from '../trash/trash.ts'
import type { Serve } from './serve.ts'

/** The endpoints of the trash of a server. */
export function trashRoutes(serve: Serve<Endpoint>, servers: Registry, trash: Trash): void {
  const trashOf = (id: string) => trash.of(servers.get(id).id)

  serve(calls.getTrash, async ({ params }) => {
    const entries = await trashOf(params.id).list()
    const bytes = entries.reduce((sum, entry) => sum + (entry.bytes ?? 0), 0)
    const { maxBytes, days } = trash.options
    return { entries, bytes, maxBytes, days }
  })
  serve(calls.restoreTrashEntry, async ({ params, body, username, signal }) => {
    const server = servers.get(params.id)
    await using files = await server.openFiles(server.trashSink({ author: username }))
    await trashOf(params.id).restore(params.entry, files, body.existing, signal)
  })
  serve(calls.deleteTrashEntry, ({ params }) => trashOf(params.id).remove(params.entry))
  serve(calls.emptyTrash, ({ params }) => trashOf(params.id).empty())
}
