import { getDiskUsage, getFileJobs } from '@innkeeper/contract/servers/files'
import type { ServerDetail } from '@innkeeper/contract/servers/servers'
import { getTrash } from '@innkeeper/contract/servers/trash'
import { getTemplate } from '@innkeeper/contract/templates/templates'
import { screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { FilePanel } from '../../testing/file-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { aServer } from '../../testing/samples.ts'
import { FilesTab } from './files-tab.tsx'

let node: FilePanel
beforeEach(async () => {
  node = await FilePanel.open()
  localStorage.clear()
})
afterEach(() => node.close())

/** Files of a server with Paper, as a browser returns them for a selected folder. */
const paperIn = (folder: string) =>
  ['server.properties', 'eula.txt', 'config/paper-global.yml', 'paper.jar'].map((path) =>
    Object.defineProperty(new File([path], path.split('/').at(-1) ?? ''), 'webkitRelativePath', {
      value: `${folder}/${path}`,
    }),
  )
const offer = /is a Paper server/

/** Opens the files of a server, uploads files, and waits for the end of the upload. */
async function openAndUpload(files: File[], more: Partial<ServerDetail> = {}, as = ['servers.create']) {
  const panel = new FakePanel()
  const { fetch } = panel
  Object.assign(panel, {
    fetch: (path: string, init?: RequestInit) =>
      path.includes('/file') && !path.includes('/files/') ? node.fetch(path, init) : fetch(path, init),
  })
  panel.respond(getFileJobs, [])
  panel.respond(getTrash, { entries: [], bytes: 0, maxBytes: 0, days: 0 })
  panel.respond(getDiskUsage, { bytes: 0, files: 0, folders: 0, freeBytes: 0 })
  panel.respond(getTemplate, { type: 'minecraft-java', name: 'minecraft-paper', display: 'Paper', data: {}, run: {} })
  const server: ServerDetail = { ...aServer('9f3c21a0', 'Oak Valley'), ...more }
  const can = (permission: string) => permission === 'viewServerFiles' || permission === 'putServerFiles'
  const opened = await openPart(<FilesTab server={server} can={can} />, { panel, as })
  const upload = async (some: File[]) => {
    await opened.user.upload(await screen.findByLabelText('Select files to upload'), some)
    await screen.findByText(`${some.length} uploaded`)
    await opened.user.click(screen.getByRole('button', { name: 'Close uploads' }))
  }
  await screen.findByText('This folder is empty.')
  await upload(files)
  return { ...opened, upload }
}

test('an uploaded Minecraft server of another kind is offered for a new server, once', async () => {
  const { user, upload } = await openAndUpload(paperIn('Valley'))

  expect(await screen.findByText('“Valley” is a Paper server, but “Oak Valley” uses another template.')).toBeDefined()
  expect(screen.getByRole('link', { name: 'Add server' }).getAttribute('href')).toBe(
    '/addserver?template=minecraft-paper',
  )
  await user.click(screen.getByRole('button', { name: 'Close' }))
  await upload(paperIn('River'))

  expect(screen.queryByText(offer)).toBeNull()
})

test.each<[string, File[], Partial<ServerDetail>]>([
  ['is from its template', paperIn('Valley'), { template: { name: 'minecraft-paper' } }],
  ['gets only settings', paperIn('Valley').slice(0, 2), {}],
  ['has another template of the same type', paperIn('Valley'), { type: 'minecraft-java' }],
])('nothing is offered when the server %s', async (_, files, server) => {
  const { panel } = await openAndUpload(files, server)

  expect(node.files.size).toBe(files.length)
  expect(screen.queryByText(offer)).toBeNull()
  expect(panel.requests(getTemplate)).toEqual([])
})

test('nothing is offered to users who cannot create servers', async () => {
  await openAndUpload(paperIn('Valley'), {}, [])

  expect(screen.queryByText(offer)).toBeNull()
})
