import {
  cancelFileJob,
  createDownload,
  type FileEntry,
  type FileJob,
  type FileWork,
  getDiskUsage,
  getFile,
  getFileJobs,
  moveFile,
  putFile,
  searchFiles,
  startFileJob,
} from '@innkeeper/contract/files'
import { Refusal } from '@innkeeper/contract/refusals'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { type Asked, FakePanel } from '../../testing/fake-panel.ts'
import { holdAPhone, openPart } from '../../testing/open-part.tsx'
import { FileBrowser } from './file-browser.tsx'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const file = (name: string, size = 10): FileEntry => ({ name, isFile: true, size, modifyTime: 1_700_000_000 })
const folder = (name: string): FileEntry => ({ name, isFile: false, modifyTime: 1_700_000_000 })

/** A server's files in a test's hand: folders by path. Work ends when the test says so. */
function aDisk(folders: Record<string, FileEntry[]>) {
  const panel = new FakePanel()
  let jobs: FileJob[] = []
  const pathOf = ({ path }: Asked) => decodeURIComponent(path.split('/file/')[1] ?? '')
  panel.answer(getFile, (asked) => folders[pathOf(asked)] ?? new Refusal('ErrFileNotFound'))
  panel.answer(putFile, undefined)
  panel.answer(moveFile, undefined)
  panel.answer(cancelFileJob, undefined)
  panel.answer(createDownload, { url: '/api/downloads/one-time' })
  panel.answer(getFileJobs, () => jobs)
  panel.answer(getDiskUsage, {
    bytes: 5 * 1024 ** 3,
    files: 10,
    folders: 2,
    freeBytes: 30 * 1024 ** 3,
    measuredAt: '2026-11-20T20:00:00Z',
  })
  panel.answer(startFileJob, ({ body }) => {
    const work = body as FileWork
    const paths = 'paths' in work ? work.paths : [work.path]
    const job: FileJob = {
      id: `job-${jobs.length}`,
      kind: work.kind,
      path: paths[0] ?? '',
      paths: paths.length,
      state: 'running',
      entries: 0,
      bytes: 0,
      startedAt: '2026-11-20T20:00:00Z',
      ...('destination' in work ? { destination: work.destination } : {}),
    }
    jobs = [job, ...jobs]
    return job
  })
  return {
    panel,
    /** Asked for its first byte, a file answers with it. */
    holdAFileAt: (path: string) => {
      const usual = panel.fetch
      vi.spyOn(panel, 'fetch').mockImplementation(async (url, init) =>
        String(url).endsWith(`/file/${path}`) ? new Response('[', { status: 206 }) : usual(url, init),
      )
    },
    works: () => panel.asked(startFileJob).map(({ body }) => body),
    /** All work becomes so. */
    turn: (change: Partial<FileJob>) => {
      jobs = jobs.map((job) => ({ ...job, ...change }))
    },
    begin: (job: FileJob) => {
      jobs = [job, ...jobs]
    },
  }
}

interface Opening {
  readonly canWrite?: boolean
  readonly path?: string
}

const plugins = {
  '': [folder('plugins'), folder('world'), file('server.properties')],
  plugins: [
    folder('..'),
    folder('data'),
    file('config.yml', 1024),
    file('claims.yml', 2048),
    file('pack.zip', 1024 ** 2),
    file('icon.png'),
    file('huge.log', 20_971_521),
  ],
  'plugins/data': [folder('..')],
  world: [folder('..'), file('config.yml')],
}

async function open(disk: ReturnType<typeof aDisk>, { canWrite = true, path: first = 'plugins' }: Opening = {}) {
  const edited: string[] = []
  const viewed: unknown[] = []
  const picked: string[] = []
  function Part() {
    const [path, setPath] = useState(first)
    return (
      <FileBrowser
        server={{ id: 'deadbeef', name: 'Oak Valley' }}
        canWrite={canWrite}
        path={path}
        onPath={setPath}
        hrefOf={(to) => `/server/deadbeef?tab=files&path=${to}`}
        onEdit={(edit) => edited.push(edit)}
        onPreview={(image, images) => viewed.push([image, images])}
        upload={{ pickFiles: () => picked.push('files'), pickFolder: () => picked.push('folder') }}
      />
    )
  }
  const opened = await openPart(<Part />, { panel: disk.panel })
  return { ...opened, edited, viewed, picked }
}

const row = async (name: string) => {
  const box = await screen.findByRole('checkbox', { name: `Select ${name}` })
  return box.closest('tr') as HTMLElement
}
const names = () =>
  screen.getAllByRole('checkbox', { name: /^Select (?!all)/ }).map((box) => box.getAttribute('aria-label')?.slice(7))
const button = (name: string | RegExp) => screen.findByRole('button', { name })
const inDialog = async (title: string) => within(await screen.findByRole('dialog', { name: title }))
const crumb = () => screen.getByRole('navigation', { name: 'Path' }).querySelector('[aria-current]')?.textContent

test('a folder shows its folders first, sizes, and what the server takes up', async () => {
  await open(aDisk(plugins))

  await row('config.yml')

  expect(names()).toEqual(['data', 'claims.yml', 'config.yml', 'huge.log', 'icon.png', 'pack.zip'])
  expect(within(await row('claims.yml')).getByText('2.00 KiB')).toBeDefined()
  expect(screen.getByText(/1 folder · 5 files/)).toBeDefined()
  expect(await screen.findByText('5.00 GiB on the disk, 30.00 GiB free')).toBeDefined()
})

test('a column sorts, and its order is remembered', async () => {
  const { user, panel } = await open(aDisk(plugins))
  await row('config.yml')

  await user.click(await button('Size'))

  expect(names().slice(0, 2)).toEqual(['data', 'huge.log'])
  expect(screen.getByRole('columnheader', { name: 'Size' }).getAttribute('aria-sort')).toBe('descending')
  expect(localStorage.getItem('innkeeper.preference.filesSort')).toContain('size')
  expect(panel.asked(getFile)).toHaveLength(1)
})

test('the list says that it is loading at each request, and no longer when it is there', async () => {
  const disk = aDisk(plugins)
  const { user, panel } = await open(disk)
  await row('config.yml')
  let go: () => void = () => undefined
  const usual = panel.fetch
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (url.includes('/file/')) await new Promise<void>((resolve) => (go = resolve))
    return usual(url, init)
  })

  await user.click(await button('Refresh'))
  const grid = screen.getByRole('grid', { name: 'Files' })
  await waitFor(() => expect(grid.getAttribute('aria-busy')).toBe('true'))
  go()

  await waitFor(() => expect(grid.getAttribute('aria-busy')).toBe('false'))
})

test('Enter opens a folder, Backspace leads up to where one came from, and r refreshes at once', async () => {
  const disk = aDisk(plugins)
  const { user, panel } = await open(disk, { path: '' })
  within(await row('plugins'))
    .getByText('plugins')
    .closest('a')
    ?.focus()

  await user.keyboard('{Enter}')
  await row('config.yml')
  await waitFor(() => expect(document.activeElement?.textContent).toBe('data'))
  const before = panel.asked(getFile).length
  await user.keyboard('r')
  await waitFor(() => expect(panel.asked(getFile)).toHaveLength(before + 1))
  const hint = screen.queryByText('then')
  await user.keyboard('{Backspace}')
  await row('world')

  expect(hint).toBeNull()
  await waitFor(() => expect(document.activeElement?.textContent).toBe('plugins'))
})

test('an empty folder says so, and Backspace leads up from it too', async () => {
  const { user } = await open(aDisk(plugins))
  within(await row('data'))
    .getByText('data')
    .closest('a')
    ?.focus()

  await user.keyboard('{Enter}')
  expect(await screen.findByText('This folder is empty.')).toBeDefined()
  expect(screen.getByText('Drop files here or create one.')).toBeDefined()
  await waitFor(() => expect(document.activeElement).not.toBe(document.body))
  await user.keyboard('{Backspace}')

  expect(await row('config.yml')).toBeDefined()
})

test('texts open in the editor, images in front of the list, archives offer to be extracted', async () => {
  const { user, edited, viewed } = await open(aDisk(plugins))
  await row('config.yml')

  await user.click(await button('config.yml'))
  await user.click(await button('icon.png'))
  await user.click(await button('pack.zip'))

  expect(edited).toEqual(['plugins/config.yml'])
  expect(viewed).toEqual([['plugins/icon.png', ['plugins/icon.png']]])
  expect(await screen.findByRole('dialog', { name: 'Extract pack.zip' })).toBeDefined()
})

test('a file that is too large for the editor says so and can be downloaded', async () => {
  const { user, panel, edited } = await open(aDisk(plugins))
  const followed = vi.fn((event: Event) => event.preventDefault())
  document.addEventListener('click', (event) => {
    if (event.target instanceof HTMLAnchorElement && event.target.download !== undefined) followed(event)
  })
  await row('config.yml')

  await user.click(await button('huge.log'))
  const dialog = await inDialog('huge.log')
  expect(dialog.getByText('Too large to edit here (max 20 MiB). Download it instead.')).toBeDefined()
  await user.click(dialog.getByRole('button', { name: 'Download' }))

  await waitFor(() => expect(followed).toHaveBeenCalledOnce())
  expect(panel.asked(createDownload).map(({ body }) => body)).toEqual([{ paths: ['plugins/huge.log'] }])
  expect(edited).toEqual([])
})

test('n f makes a file that opens in the editor; a taken name and an empty one cannot be created', async () => {
  const { user, panel, edited } = await open(aDisk(plugins))
  await row('config.yml')

  await user.keyboard('nf')
  const dialog = await inDialog('New file')
  const create = dialog.getByRole('button', { name: 'Create' })
  const whileEmpty = create.hasAttribute('disabled')
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'config.yml')
  const whileTaken = create.hasAttribute('disabled')
  expect(dialog.getByText('A file with this name already exists')).toBeDefined()
  await user.clear(dialog.getByRole('textbox', { name: 'Name' }))
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'new.txt{Enter}')

  await waitFor(() => expect(edited).toEqual(['plugins/new.txt']))
  expect([whileEmpty, whileTaken]).toEqual([true, true])
  expect(panel.asked(putFile).map(({ path }) => path)).toEqual(['/proxy/daemon/server/deadbeef/file/plugins/new.txt'])
})

test('n d makes a folder', async () => {
  const { user, panel } = await open(aDisk(plugins))
  await row('config.yml')

  await user.keyboard('nd')
  const dialog = await inDialog('New folder')
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'maps{Enter}')

  await waitFor(() => expect(panel.asked(putFile)).toHaveLength(1))
  expect(panel.asked(putFile)[0]?.query.get('folder')).toBe('true')
})

test('a name that somebody else took meanwhile is an objection at the field', async () => {
  const disk = aDisk(plugins)
  disk.panel.answer(moveFile, new Refusal('ErrFileExists'))
  const { user, panel } = await open(disk)
  fireEvent.contextMenu(await row('config.yml'), { clientX: 10, clientY: 10 })

  await user.click(await screen.findByRole('menuitem', { name: 'Rename' }))
  const dialog = await inDialog('Rename config.yml')
  const field = dialog.getByRole('textbox', { name: 'Name' })
  await user.clear(field)
  await user.type(field, 'other.yml{Enter}')

  expect(await dialog.findByText('A file with this name already exists')).toBeDefined()
  expect(panel.asked(moveFile)[0]?.body).toEqual({
    from: 'plugins/config.yml',
    to: 'plugins/other.yml',
    existing: 'refuse',
  })
})

test('Shift chooses a range, the bar says how much, and all of it is deleted after a question with the names', async () => {
  const disk = aDisk(plugins)
  const { user } = await open(disk)
  await row('config.yml')

  await user.click(screen.getByRole('checkbox', { name: 'Select data' }))
  await user.keyboard('{Shift>}')
  await user.click(screen.getByRole('checkbox', { name: 'Select pack.zip' }))
  await user.keyboard('{/Shift}')
  expect(screen.getByText('6 selected')).toBeDefined()
  await user.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Delete' }))
  const dialog = await inDialog('Delete 6 items?')
  const listed = dialog.getAllByRole('listitem').map((one) => one.textContent)
  await user.click(dialog.getByRole('button', { name: 'Delete 6 items' }))

  await waitFor(() => expect(disk.works()).toHaveLength(1))
  expect(listed).toEqual(['data', 'claims.yml', 'config.yml', 'huge.log', 'icon.png', 'and 1 more'])
  expect(disk.works()[0]).toMatchObject({ kind: 'delete', paths: expect.arrayContaining(['plugins/data']) })
})

test('Ctrl+A chooses everything, Esc nothing, and arrows with Shift a range', async () => {
  const { user } = await open(aDisk(plugins))
  within(await row('data'))
    .getByText('data')
    .closest('a')
    ?.focus()

  await user.keyboard('{Control>}a{/Control}')
  const all = screen.getByText('6 selected')
  await user.keyboard('{Escape}')
  const none = screen.queryByRole('toolbar')
  await user.keyboard('{Shift>}{ArrowDown}{ArrowDown}{/Shift}')

  expect(all).toBeDefined()
  expect(none).toBeNull()
  expect(screen.getByText('3 selected')).toBeDefined()
  expect(document.activeElement?.textContent).toBe('config.yml')
})

test('an archive of a choice has the name of the folder, with a number when that is taken', async () => {
  const disk = aDisk({ ...plugins, plugins: [...plugins.plugins, file('plugins.zip')] })
  const { user } = await open(disk)
  await row('config.yml')

  await user.click(screen.getByRole('checkbox', { name: 'Select config.yml' }))
  await user.click(screen.getByRole('checkbox', { name: 'Select claims.yml' }))
  await user.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Archive' }))
  await user.click(await button('Archive data'))

  await waitFor(() => expect(disk.works()).toHaveLength(2))
  expect(disk.works()).toEqual([
    { kind: 'archive', paths: ['plugins/claims.yml', 'plugins/config.yml'], destination: 'plugins/plugins (2).zip' },
    { kind: 'archive', paths: ['plugins/data'], destination: 'plugins/data.zip' },
  ])
})

test('work shows how far it is, can be cancelled, and the list is asked again when it ends', async () => {
  const disk = aDisk(plugins)
  const { user, panel } = await open(disk)
  await row('config.yml')
  await user.click(await button('Archive data'))

  disk.turn({ bytes: 30, totalBytes: 120 })
  expect(await screen.findByText(/25%/)).toBeDefined()
  expect(screen.getByRole('progressbar', { name: 'Archiving data' }).getAttribute('aria-valuenow')).toBe('25')
  const lists = panel.asked(getFile).length
  await user.click(await button('Cancel'))
  disk.turn({ state: 'cancelled' })

  await waitFor(() => expect(screen.queryByRole('progressbar')).toBeNull())
  expect(panel.asked(cancelFileJob)).toHaveLength(1)
  await waitFor(() => expect(panel.asked(getFile).length).toBeGreaterThan(lists))
  expect(screen.getAllByRole('status').map((one) => one.textContent)).toContain('Archiving was cancelled')
})

test('what an archive held that was left out is named', async () => {
  const disk = aDisk(plugins)
  const { user } = await open(disk)
  await row('config.yml')

  await user.click(await button('Extract pack.zip'))
  const dialog = await inDialog('Extract pack.zip')
  await user.click(dialog.getByRole('button', { name: 'Extract' }))
  await screen.findByRole('progressbar')
  disk.turn({ state: 'done', entries: 312, skipped: ['bin/sh', 'dev/null'], skippedCount: 2 })

  expect(await screen.findByText('Extracted 312 files, 2 skipped', { selector: 'div' })).toBeDefined()
  await user.click(screen.getByText('Show what was skipped'))
  expect(screen.getByText('dev/null')).toBeDefined()
  expect(disk.works()).toEqual([
    { kind: 'extract', path: 'plugins/pack.zip', destination: 'plugins', existing: 'replace' },
  ])
})

test('an archive can go to a folder of its own', async () => {
  const disk = aDisk(plugins)
  const { user, panel } = await open(disk)
  await row('config.yml')

  await user.click(await button('Extract pack.zip'))
  const dialog = await inDialog('Extract pack.zip')
  await user.click(dialog.getByText('New folder pack'))
  await user.click(dialog.getByRole('button', { name: 'Extract' }))

  await waitFor(() => expect(disk.works()).toHaveLength(1))
  expect(panel.asked(putFile)[0]?.path).toBe('/proxy/daemon/server/deadbeef/file/plugins/pack')
  expect(disk.works()[0]).toMatchObject({ kind: 'extract', destination: 'plugins/pack' })
})

test('work that failed says why and can be tried again', async () => {
  const disk = aDisk(plugins)
  const { user } = await open(disk)
  await row('config.yml')
  await user.click(await button('Archive data'))
  await screen.findByRole('progressbar')

  disk.turn({ state: 'failed', error: { code: 'ErrDisk', metadata: { reason: 'no space left' } } })
  expect(
    await screen.findByText('data could not be archived. The disk of the node refused: no space left', {
      selector: 'div',
    }),
  ).toBeDefined()
  await user.click(await button('Try again'))

  await waitFor(() => expect(disk.works()).toHaveLength(2))
})

test('work that another tab began is shown, and only what ends before our eyes is told', async () => {
  const disk = aDisk(plugins)
  const job: FileJob = {
    id: 'theirs',
    kind: 'copy',
    path: 'world',
    paths: 1,
    state: 'running',
    entries: 1_204,
    bytes: 0,
    startedAt: '2026-11-20T20:00:00Z',
  }
  disk.begin({ ...job, id: 'old', state: 'failed', error: { code: 'ErrDisk', metadata: { reason: 'x' } } })
  disk.begin(job)

  await open(disk)

  expect(await screen.findByText('Copying world')).toBeDefined()
  expect(screen.getByText('1,204 entries')).toBeDefined()
  expect(screen.queryByText(/could not be copied/)).toBeNull()
})

test('a taken name at the destination asks: replace, keep both or skip', async () => {
  const disk = aDisk(plugins)
  const { user } = await open(disk)
  await row('config.yml')
  await user.click(screen.getByRole('checkbox', { name: 'Select config.yml' }))
  await user.click(screen.getByRole('checkbox', { name: 'Select claims.yml' }))

  await user.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Move' }))
  const dialog = await inDialog('Move 2 items')
  expect(dialog.getByText('It is there already')).toBeDefined()
  await user.click(dialog.getByRole('button', { name: 'Up' }))
  await user.click(await dialog.findByRole('button', { name: 'world' }))
  await waitFor(() => expect(dialog.getByRole('textbox', { name: 'To' })).toHaveProperty('value', '/world'))
  await dialog.findByText('No folders here')
  await user.click(dialog.getByRole('button', { name: 'Move here' }))
  expect(await dialog.findByText('config.yml exists there already.')).toBeDefined()
  await user.click(dialog.getByRole('button', { name: 'Keep both' }))

  await waitFor(() => expect(disk.works()).toHaveLength(2))
  expect(disk.works()).toEqual([
    { kind: 'move', paths: ['plugins/claims.yml'], destination: 'world', existing: 'refuse' },
    { kind: 'move', paths: ['plugins/config.yml'], destination: 'world', existing: 'keepBoth' },
  ])
})

test('the filter narrows the list, and Enter looks in subfolders, with where things are', async () => {
  const disk = aDisk(plugins)
  disk.panel.answer(searchFiles, { found: [{ ...file('config.yml'), path: '/plugins/old/deep' }], isComplete: false })
  const { user, panel, edited } = await open(disk)
  await row('config.yml')

  await user.keyboard('/')
  await user.keyboard('CONF')
  expect(names()).toEqual(['config.yml'])
  await user.keyboard('{Enter}')
  expect(await screen.findByText('plugins/old/deep')).toBeDefined()
  expect(screen.getByText('1 found, and there is more. A longer text narrows it down.')).toBeDefined()
  await user.click(screen.getByText('config.yml'))

  expect(edited).toEqual(['plugins/old/deep/config.yml'])
  expect(panel.asked(searchFiles)[0]?.query.get('path')).toBe('plugins')
})

test('nothing that passes the filter offers the way back', async () => {
  const { user } = await open(aDisk(plugins))
  await row('config.yml')

  await user.type(screen.getByRole('searchbox', { name: 'Filter files' }), 'abc')
  expect(await screen.findByText("Nothing matches 'abc'.")).toBeDefined()
  await user.click(screen.getAllByRole('button', { name: 'Clear filter' })[0] as HTMLElement)

  expect(names()).toHaveLength(6)
})

test('the folders on the way lead there, and the path can be typed', async () => {
  const { user } = await open(aDisk(plugins), { path: 'plugins/data' })
  await screen.findByText('This folder is empty.')

  await user.click(screen.getByRole('link', { name: 'plugins' }))
  await row('config.yml')
  expect(crumb()).toBe('plugins')
  await user.click(await button('Type a path'))
  await user.clear(screen.getByRole('textbox', { name: 'Path' }))
  await user.type(screen.getByRole('textbox', { name: 'Path' }), '/plugins/../world/{Enter}')

  expect(await row('config.yml')).toBeDefined()
  expect(crumb()).toBe('world')
})

test('a link is followed to see whether it leads to a folder or a file', async () => {
  const link = (name: string): FileEntry => ({ name, isFile: true, isLink: true, size: 7 })
  const disk = aDisk({ ...plugins, '': [link('current'), link('latest.log')], current: [file('inside.txt')] })
  disk.holdAFileAt('latest.log')
  const { user, edited } = await open(disk, { path: '' })

  await user.click(await button(/^latest\.log/))
  await waitFor(() => expect(edited).toEqual(['latest.log']))
  await user.click(await button(/^current/))

  expect(await row('inside.txt')).toBeDefined()
})

test('an address that leads to a file offers to open it', async () => {
  const disk = aDisk(plugins)
  disk.holdAFileAt('plugins/config.yml')
  const { user, edited } = await open(disk, { path: 'plugins/config.yml' })

  expect(await screen.findByText('This is a file, not a folder')).toBeDefined()
  await user.click(await button('Open'))

  expect(edited).toEqual(['plugins/config.yml'])
  expect(crumb()).toBe('plugins')
})

test('a finger that rests on a row asks for its menu, and the tap that ends it opens nothing', async () => {
  onTestFinished(holdAPhone())
  const { edited } = await open(aDisk(plugins))
  const name = await button(/^config\.yml/)

  fireEvent.pointerDown(name, { pointerType: 'touch', clientX: 5, clientY: 5 })
  const sheet = await screen.findByRole('dialog', { name: /config.yml/ })
  fireEvent.pointerUp(name, { pointerType: 'touch' })
  fireEvent.click(name)

  expect(sheet).toBeDefined()
  expect(edited).toEqual([])
})

test('a folder that vanished offers the way up', async () => {
  const { user } = await open(aDisk(plugins), { path: 'plugins/gone' })

  expect(await screen.findByText('This folder is not there any more')).toBeDefined()
  await user.click(await button('Go up'))

  expect(await row('config.yml')).toBeDefined()
})

test('a list that cannot be loaded says why and can be tried again', async () => {
  const disk = aDisk(plugins)
  disk.panel.answer(getFile, new Refusal('ErrDisk', { reason: 'input/output error' }))
  const { user, panel } = await open(disk)

  expect(await screen.findByText('Could not load the files')).toBeDefined()
  panel.answer(getFile, plugins.plugins)
  await user.click(await button('Try again'))

  expect(await row('config.yml')).toBeDefined()
})

test('without the right to change files there is nothing to change them with', async () => {
  const { user, picked } = await open(aDisk(plugins), { canWrite: false })
  await row('config.yml')

  fireEvent.contextMenu(await row('config.yml'), { clientX: 10, clientY: 10 })
  const items = (await screen.findAllByRole('menuitem')).map((one) => one.textContent)
  await user.keyboard('{Escape}')
  await user.click(screen.getByRole('checkbox', { name: 'Select config.yml' }))
  const bulk = within(screen.getByRole('toolbar'))
    .getAllByRole('button')
    .map((one) => one.textContent)
  await user.keyboard('u')
  await user.keyboard('nf')

  expect(items).toEqual(['Edit', 'Download', 'Copy path'])
  expect(bulk).toEqual(['Download', ''])
  expect(picked).toEqual([])
  expect(screen.queryByRole('dialog')).toBeNull()
  for (const name of ['File', 'Folder', 'Upload']) expect(screen.queryByRole('button', { name })).toBeNull()
  expect(screen.getByText('View only')).toBeDefined()
})

test('u opens the dialog for files', async () => {
  const { user, picked } = await open(aDisk(plugins))
  await row('config.yml')

  await user.keyboard('u')

  expect(picked).toEqual(['files'])
})

test('what is no regular file is shown, and nothing can be done with it', async () => {
  await open(aDisk({ plugins: [{ name: 'pipe', isFile: true, isOdd: true }, file('a.txt')] }))

  const pipe = await row('pipe')

  expect(within(pipe).getByText('Not a regular file')).toBeDefined()
  expect(within(pipe).getByRole('checkbox').hasAttribute('disabled')).toBe(true)
  expect(within(pipe).queryByRole('button', { name: 'More for pipe' })).toBeNull()
})

test('of ten thousand files only those in view are drawn, and the keys reach the last one', async () => {
  // A window of 600 px, as jsdom has no layout.
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600)
  const usual = Element.prototype.scrollTo
  Element.prototype.scrollTo = function (this: Element, to?: ScrollToOptions | number) {
    if (typeof to === 'object') this.scrollTop = to.top ?? 0
    this.dispatchEvent(new Event('scroll'))
  }
  onTestFinished(() => {
    Element.prototype.scrollTo = usual
  })
  const many = Array.from({ length: 10_000 }, (_, at) => file(`chunk-${at}.dat`))
  const { user } = await open(aDisk({ plugins: many }))
  ;(await button('chunk-0.dat')).focus()

  const drawn = names().length
  await user.keyboard('{End}')

  await waitFor(() => expect(document.activeElement?.textContent).toBe('chunk-9999.dat'))
  expect(drawn).toBeLessThan(60)
  expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('10001')
})

test('on a phone a row has its facts below its name, and its actions in a sheet', async () => {
  onTestFinished(holdAPhone())
  const { user, edited } = await open(aDisk(plugins))
  const one = await row('config.yml')

  expect(within(one).getByText('1.00 KiB')).toBeDefined()
  await user.click(await button('More for config.yml'))
  const sheet = within(await screen.findByRole('dialog', { name: /config.yml/ }))
  const offered = sheet.getAllByRole('button').map((each) => each.textContent)
  await user.click(sheet.getByRole('button', { name: 'Edit' }))

  expect(offered).toEqual(
    expect.arrayContaining(['Edit', 'Download', 'Rename', 'Move', 'Copy', 'Archive', 'Copy path', 'Delete', 'Select']),
  )
  expect(edited).toEqual(['plugins/config.yml'])
})
