import { createBackupDownload } from '@innkeeper/contract/backups/backups'
import { createDownload, download } from '@innkeeper/contract/servers/files'
import { listed } from '../proxy/body-target.ts'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { DownloadsService } from './downloads.ts'

export function downloadRoutes(registerRoute: RegisterRoute, downloads: DownloadsService): void {
  registerRoute(createDownload, async ({ principal, server, body, audit }) => {
    audit.setSubject({ target: listed(body.paths) })
    return { url: await downloads.create(principal, server, { paths: body.paths }, audit) }
  })
  registerRoute(createBackupDownload, async ({ principal, server, params, body, audit }) => {
    audit.setSubject({ target: body.path })
    const content = { backup: params.backup, ...body }
    return { url: await downloads.create(principal, server, content, audit) }
  })
  registerRoute(download, ({ params, client, signal }) => downloads.open(params.ticket, client.address, signal))
}
