import { getOtp } from '@innkeeper/contract/accounts/account'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import {
  type FileEntry,
  type FileJob,
  getDiskUsage,
  getFile,
  getFileJobs,
  putFile,
  searchFiles,
  startFileJob,
} from '@innkeeper/contract/servers/files'
import { getTrash } from '@innkeeper/contract/servers/trash'
import { getTemplate } from '@innkeeper/contract/templates/templates'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { aServer } from '../../testing/samples.ts'
import { FilesTab } from './files-tab.tsx'

afterEach(() => {
  vi.unstubAllGlobals()
  localStorage.clear()
})

const disk: Record<string, FileEntry[]> = {
  '': [{ name: 'plugins', isFile: false }],
  plugins: [
    { name: '..', isFile: false },
    { name: 'config.yml', isFile: true, size: 3 },
  ],
}

async function openFiles(
  permissions: readonly RequiredPermission[],
  {
    publicHost = 'fra1.example.net',
    otp = false,
    as,
  }: { readonly publicHost?: string; readonly otp?: boolean; readonly as?: readonly string[] } = {},
) {
  const panel = new FakePanel()
  panel.respond(getFile, ({ path }) => disk[path.split('/file/')[1] ?? ''] ?? new Refusal('ErrFileNotFound'))
  panel.respond(getFileJobs, [])
  panel.respond(getTrash, { entries: [], bytes: 0, maxBytes: 0, days: 0 })
  panel.respond(getDiskUsage, { bytes: 0, files: 0, folders: 0, freeBytes: 0 })
  panel.respond(getOtp, { otpEnabled: otp })
  const server = aServer('9f3c21a0', 'Oak Valley')
  const node = { ...server.node, publicHost }
  const done: string[] = []
  const opened = await openPart(
    <>
      <FilesTab server={{ ...server, node }} can={(permission) => permissions.includes(permission)} />
      <Restart done={done} />
    </>,
    { panel, ...(as ? { as } : {}) },
  )
  return { ...opened, done }
}

/** A shortcut of the page, outside of the list of files. */
function Restart({ done }: { done: string[] }) {
  useHotkeys([{ keys: 'z z', label: 'Restart', group: 'Power', run: () => done.push('restart') }])
  return null
}

test('with permission for SFTP only, the tab shows only the SFTP details', async () => {
  const { panel } = await openFiles(['sftpServer'])

  expect(await screen.findByText('mara@example.net#9f3c21a0')).toBeDefined()
  expect(screen.getByText('fra1.example.net:5657')).toBeDefined()
  expect(screen.getByText('Sign in with your account password.')).toBeDefined()
  expect(screen.getByRole('link', { name: 'Open in SFTP client' }).getAttribute('href')).toBe(
    'sftp://mara%40example.net%239f3c21a0@fra1.example.net:5657/',
  )
  expect(screen.queryByRole('grid')).toBeNull()
  expect(panel.requests(getFile)).toEqual([])
})

test('with two-factor authentication the SFTP details mention the SSH key, and password and code', async () => {
  await openFiles(['sftpServer'], { publicHost: '127.0.0.1', otp: true })

  const text = await screen.findByText(/Sign in with your SSH key, or with your password and a code\./)

  expect(within(text).getByRole('link', { name: 'Account' }).getAttribute('href')).toBe('/account')
  expect(screen.getByText(`${location.hostname}:5657`)).toBeDefined()
})

test('with permission to view files only, there are no SFTP details', async () => {
  await openFiles(['viewServerFiles'])

  expect(await screen.findByRole('link', { name: 'plugins' })).toBeDefined()
  expect(screen.queryByRole('button', { name: 'SFTP details' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Upload' })).toBeNull()
})

test('without space for the sidebar the SFTP details are behind a button', async () => {
  const { user } = await openFiles(['viewServerFiles', 'putServerFiles', 'sftpServer'])
  await screen.findByRole('link', { name: 'plugins' })

  await user.click(screen.getByRole('button', { name: 'SFTP details' }))

  expect(await screen.findByText('fra1.example.net:5657')).toBeDefined()
})

test('the folder is in the address, and Back opens the previous one', async () => {
  const { user, router } = await openFiles(['viewServerFiles', 'putServerFiles'])

  await user.click(await screen.findByRole('link', { name: 'plugins' }))
  await screen.findByRole('button', { name: 'config.yml' })
  const address = router.state.location.search
  await router.navigate(-1)

  expect(address).toBe('?tab=files&path=plugins')
  expect(await screen.findByRole('link', { name: 'plugins' })).toBeDefined()
})

test('an open file is in the address', async () => {
  const { user, router } = await openFiles(['viewServerFiles', 'putServerFiles'])
  await user.click(await screen.findByRole('link', { name: 'plugins' }))

  await user.click(await screen.findByRole('button', { name: 'config.yml' }))

  await waitFor(() => expect(new URLSearchParams(router.state.location.search).get('edit')).toBe('plugins/config.yml'))
})

test('keys typed right after creating a file do not reach the shortcuts of the page', async () => {
  const { user, panel, done } = await openFiles(['viewServerFiles', 'putServerFiles'])
  panel.respond(putFile, undefined)
  await screen.findByRole('link', { name: 'plugins' })

  await user.keyboard('nf')
  const dialog = await screen.findByRole('dialog')
  await user.type(within(dialog).getByRole('textbox'), 'motd.txt{Enter}')
  await waitFor(() => expect(screen.queryByRole('dialog', { name: /New file/ })).toBeNull())
  // The code of the editor arrives between these keys, before or after them.
  fireEvent.keyDown(document.activeElement ?? document.body, { key: 'z', code: 'KeyZ' })
  fireEvent.keyDown(document.activeElement ?? document.body, { key: 'z', code: 'KeyZ' })

  await screen.findByRole('dialog', { name: /motd\.txt/ }, { timeout: 10_000 })
  expect(done).toEqual([])
})

test('a Minecraft server is recognized after an archive was extracted on the node', async () => {
  const { panel, user } = await openFiles(['viewServerFiles', 'putServerFiles'], { as: ['servers.create'] })
  const folders: Record<string, FileEntry[]> = {
    '': [{ name: 'Valley.tar.gz', isFile: true, size: 9 }],
    Valley: [
      { name: '..', isFile: false },
      { name: 'Inner', isFile: false },
    ],
    'Valley/Inner': [
      { name: '..', isFile: false },
      { name: 'config', isFile: false },
      { name: 'server.properties', isFile: true },
      { name: 'paper.jar', isFile: true },
    ],
  }
  panel.respond(getFile, ({ path }) => folders[decodeURIComponent(path.split('/file/')[1] ?? '')] ?? [])
  panel.respond(searchFiles, ({ query }) => ({
    found:
      query.get('path') === 'Valley/Inner/config'
        ? [{ name: 'paper-global.yml', isFile: true, path: '/Valley/Inner/config' }]
        : [],
    isComplete: true,
  }))
  panel.respond(getTemplate, { type: 'minecraft-java', name: 'minecraft-paper', display: 'Paper', data: {}, run: {} })
  panel.respond(putFile, undefined)
  const job = { id: 'a', kind: 'extract', path: 'Valley.tar.gz', paths: 1, destination: 'Valley', entries: 3, bytes: 9 }
  const startedAt = new Date(0).toISOString()
  panel.respond(startFileJob, { ...job, state: 'running', startedAt } as FileJob)
  await user.click(await screen.findByRole('button', { name: /^Refresh/ }))
  panel.respond(getFileJobs, [{ ...job, state: 'done', startedAt, endedAt: startedAt } as FileJob])

  await user.click(await screen.findByRole('button', { name: 'Extract Valley.tar.gz' }))
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Extract' }))

  expect(
    await screen.findByText('“Valley.tar.gz” is a Paper server, but “Oak Valley” uses another template.', undefined, {
      timeout: 5_000,
    }),
  ).toBeDefined()
})
