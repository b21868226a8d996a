import { formatReason } from '@innkeeper/contract/errors/reasons'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import {
  createDownload,
  type FileEntry,
  getDiskUsage,
  getFile,
  moveFile,
  putFile,
  searchFiles,
} from '@innkeeper/contract/servers/files'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { emulatePhone } from '../../testing/open-part.tsx'
import { disableStrictMode } from '../../testing/strict-mode.ts'
import { button, crumb, fakeDisk, file, folder, inDialog, names, open, plugins, row } from './testing/disk.tsx'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('a folder lists its subfolders first, sizes, and the disk usage of the server', async () => {
  await open(fakeDisk(plugins))

  await row('config.yml')

  expect(names()).toEqual(['data', 'claims.yml', 'config.yml', 'huge.log', 'icon.png', 'pack.zip'])
  expect(within(await row('claims.yml')).getByText('2.00 KiB')).toBeDefined()
  expect(screen.getByText(/1 folder · 5 files/)).toBeDefined()
  expect(await screen.findByText('5.00 GiB used · 30.00 GiB free')).toBeDefined()
})

test('a disk usage that cannot be measured is said, and is not 0 bytes', async () => {
  const disk = fakeDisk(plugins)
  disk.panel.respond(getDiskUsage, { freeBytes: 30 * 1024 ** 3, problem: formatReason('usageUnknown') })
  await open(disk)

  await row('config.yml')

  expect(await screen.findByText(/cannot be measured now/)).toBeDefined()
  expect(screen.queryByText(/30.00 GiB free/)).toBeNull()
})

test('a column sorts, and its order is remembered', async () => {
  disableStrictMode()
  const { user, panel } = await open(fakeDisk(plugins))
  await row('config.yml')

  await user.click(await button('Size'))

  expect(names().slice(0, 2)).toEqual(['data', 'huge.log'])
  expect(screen.getByRole('columnheader', { name: 'Size' }).getAttribute('aria-sort')).toBe('descending')
  expect(localStorage.getItem('innkeeper.preference.filesSort')).toContain('size')
  expect(panel.requests(getFile)).toHaveLength(1)
})

test('the list is busy during each request, and not afterwards', async () => {
  const disk = fakeDisk(plugins)
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

test('Enter opens a folder, Backspace returns to its row in the parent folder, and r refreshes at once', async () => {
  const disk = fakeDisk(plugins)
  const { user, panel } = await open(disk, { path: '' })
  within(await row('plugins'))
    .getByText('plugins')
    .closest('a')
    ?.focus()

  await user.keyboard('{Enter}')
  await row('config.yml')
  await waitFor(() => expect(document.activeElement?.textContent).toBe('data'))
  const before = panel.requests(getFile).length
  await user.keyboard('r')
  await waitFor(() => expect(panel.requests(getFile)).toHaveLength(before + 1))
  const hint = screen.queryByText('then')
  await user.keyboard('{Backspace}')
  await row('world')

  expect(hint).toBeNull()
  await waitFor(() => expect(document.activeElement?.textContent).toBe('plugins'))
})

test('r refreshes the list from anywhere on the tab', async () => {
  const { user, panel } = await open(fakeDisk(plugins))
  await row('config.yml')
  const before = panel.requests(getFile).length

  await user.keyboard('r')

  await waitFor(() => expect(panel.requests(getFile)).toHaveLength(before + 1))
})

test('an empty folder says so, and Backspace leads up from it too', async () => {
  const { user } = await open(fakeDisk(plugins))
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
  const { user, edited, viewed } = await open(fakeDisk(plugins))
  await row('config.yml')

  await user.click(await button('config.yml'))
  await user.click(await button('icon.png'))
  await user.click(await button('pack.zip'))

  expect(edited).toEqual(['plugins/config.yml'])
  expect(viewed).toEqual([['plugins/icon.png', ['plugins/icon.png']]])
  expect(await screen.findByRole('dialog', { name: 'Extract pack.zip' })).toBeDefined()
})

test('a file that is too large for the editor can be downloaded instead', async () => {
  const { user, panel, edited } = await open(fakeDisk(plugins))
  const followed = vi.fn((event: Event) => event.preventDefault())
  const followLink = (event: Event) => {
    if (event.target instanceof HTMLAnchorElement) followed(event)
  }
  document.addEventListener('click', followLink)
  onTestFinished(() => document.removeEventListener('click', followLink))
  await row('config.yml')

  await user.click(await button('huge.log'))
  const dialog = await inDialog('huge.log')
  expect(dialog.getByText('This file is too large to edit (max 20 MiB). Download it instead.')).toBeDefined()
  await user.click(dialog.getByRole('button', { name: 'Download' }))

  await waitFor(() => expect(followed).toHaveBeenCalledOnce())
  expect(panel.requests(createDownload).map(({ body }) => body)).toEqual([{ paths: ['plugins/huge.log'] }])
  expect(edited).toEqual([])
})

test('n f makes a file that opens in the editor; a taken name and an empty one cannot be created', async () => {
  const { user, panel, edited } = await open(fakeDisk(plugins))
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
  expect(panel.requests(putFile).map(({ path }) => path)).toEqual([
    '/proxy/daemon/server/deadbeef/file/plugins/new.txt',
  ])
})

test('n d makes a folder', async () => {
  const { user, panel } = await open(fakeDisk(plugins))
  await row('config.yml')

  await user.keyboard('nd')
  const dialog = await inDialog('New folder')
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'maps{Enter}')

  await waitFor(() => expect(panel.requests(putFile)).toHaveLength(1))
  expect(panel.requests(putFile)[0]?.query.get('folder')).toBe('true')
})

test('a name of blanks only cannot be created, and the dialog shows why', async () => {
  const { user, panel } = await open(fakeDisk(plugins))
  await row('config.yml')

  await user.keyboard('nd')
  const dialog = await inDialog('New folder')
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), '   {Enter}')

  expect(dialog.getByText('Enter at least one visible character')).toBeDefined()
  expect(dialog.getByRole('button', { name: 'Create' }).hasAttribute('disabled')).toBe(true)
  expect(panel.requests(putFile)).toEqual([])
})

test('a file whose name is blank can still be found and renamed', async () => {
  const { user, panel } = await open(fakeDisk({ ...plugins, plugins: [folder('..'), file('  ')] }))

  await user.click(await button('More actions for (blank name)'))
  await user.click(await screen.findByRole('menuitem', { name: 'Rename' }))
  const field = await screen.findByRole('textbox', { name: 'Name' })
  await user.clear(field)
  await user.type(field, 'named.txt{Enter}')

  await waitFor(() => expect(panel.requests(moveFile)).toHaveLength(1))
  expect(panel.requests(moveFile)[0]?.body).toMatchObject({ from: 'plugins/  ', to: 'plugins/named.txt' })
})

test('a name conflict with a folder says that it is a folder', async () => {
  const { user } = await open(fakeDisk(plugins))
  fireEvent.contextMenu(await row('config.yml'), { clientX: 10, clientY: 10 })

  await user.click(await screen.findByRole('menuitem', { name: 'Rename' }))
  const dialog = await inDialog('Rename config.yml')
  await user.clear(dialog.getByRole('textbox', { name: 'Name' }))
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'data')

  expect(dialog.getByText('A folder with this name already exists')).toBeDefined()
})

test('text typed right after n f goes into the dialog', async () => {
  const { user } = await open(fakeDisk(plugins))
  await row('config.yml')

  await user.keyboard('nfurls.txt')

  expect(await screen.findByRole('textbox', { name: 'Name' })).toHaveProperty('value', 'urls.txt')
})

test('a name that another user took since is an error at the field', async () => {
  const disk = fakeDisk(plugins)
  disk.panel.respond(moveFile, new Refusal('ErrFileExists'))
  const { user, panel } = await open(disk)
  fireEvent.contextMenu(await row('config.yml'), { clientX: 10, clientY: 10 })

  await user.click(await screen.findByRole('menuitem', { name: 'Rename' }))
  const dialog = await inDialog('Rename config.yml')
  const field = dialog.getByRole('textbox', { name: 'Name' })
  await user.clear(field)
  await user.type(field, 'other.yml{Enter}')

  expect(await dialog.findByText('A file or folder with this name already exists')).toBeDefined()
  expect(panel.requests(moveFile)[0]?.body).toEqual({
    from: 'plugins/config.yml',
    to: 'plugins/other.yml',
    existing: 'refuse',
  })
})

test('a click beside the checkbox selects the row too, and left and right move through its controls', async () => {
  const { user, edited } = await open(fakeDisk(plugins))
  const box = within(await row('config.yml')).getByRole('checkbox')

  await user.click(box.parentElement ?? box)
  box.focus()
  await user.keyboard('{ArrowRight}{ArrowRight}')

  expect(screen.getByText('1 selected')).toBeDefined()
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Edit config.yml')
  expect(edited).toEqual([])
})

test('Ctrl+A selects everything, Esc clears the selection, and Shift with arrows selects a range', async () => {
  const { user } = await open(fakeDisk(plugins))
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

test('the filter narrows the list, and Enter looks in subfolders, with where things are', async () => {
  const disk = fakeDisk(plugins)
  disk.panel.respond(searchFiles, { found: [{ ...file('config.yml'), path: '/plugins/old/deep' }], isComplete: false })
  const { user, panel, edited } = await open(disk)
  await row('config.yml')

  await user.keyboard('/')
  await user.keyboard('CONF')
  expect(names()).toEqual(['config.yml'])
  await user.keyboard('{Enter}')
  expect(await screen.findByText('plugins/old/deep')).toBeDefined()
  expect(screen.getByText('First 1 result. Refine your search.')).toBeDefined()
  await user.click(screen.getByText('config.yml'))

  expect(edited).toEqual(['plugins/old/deep/config.yml'])
  expect(panel.requests(searchFiles)[0]?.query.get('path')).toBe('plugins')
})

test('a filter without results offers to clear it', async () => {
  const { user } = await open(fakeDisk(plugins))
  await row('config.yml')

  await user.type(screen.getByRole('searchbox', { name: 'Filter files' }), 'abc')
  expect(await screen.findByText('Nothing matches “abc”.')).toBeDefined()
  await user.click(screen.getAllByRole('button', { name: 'Clear filter' })[0] as HTMLElement)

  expect(names()).toHaveLength(6)
})

test('the folders on the way lead there, and the path can be typed', async () => {
  const { user } = await open(fakeDisk(plugins), { path: 'plugins/data' })
  await screen.findByText('This folder is empty.')

  await user.click(screen.getByRole('link', { name: 'plugins' }))
  await row('config.yml')
  expect(crumb()).toBe('plugins')
  await user.click(await button('Edit path'))
  await user.clear(screen.getByRole('textbox', { name: 'Path' }))
  await user.type(screen.getByRole('textbox', { name: 'Path' }), '/plugins/../world/{Enter}')

  expect(await row('config.yml')).toBeDefined()
  expect(crumb()).toBe('world')
})

test('a link is followed to see whether it leads to a folder or a file', async () => {
  const link = (name: string): FileEntry => ({ name, isFile: true, isLink: true, size: 7 })
  const disk = fakeDisk({ ...plugins, '': [link('current'), link('latest.log')], current: [file('inside.txt')] })
  disk.answerFirstByte('latest.log')
  const { user, edited } = await open(disk, { path: '' })

  await user.click(await button(/^latest\.log/))
  await waitFor(() => expect(edited).toEqual(['latest.log']))
  await user.click(await button(/^current/))

  expect(await row('inside.txt')).toBeDefined()
})

test('an address that leads to a file offers to open it', async () => {
  const disk = fakeDisk(plugins)
  disk.answerFirstByte('plugins/config.yml')
  const { user, edited } = await open(disk, { path: 'plugins/config.yml' })

  expect(await screen.findByText('This is a file, not a folder')).toBeDefined()
  await user.click(await button('Open'))

  expect(edited).toEqual(['plugins/config.yml'])
  expect(crumb()).toBe('plugins')
})

test('a long press opens the menu of a row, and lifting the finger opens nothing else', async () => {
  onTestFinished(emulatePhone())
  const { edited } = await open(fakeDisk(plugins))
  const name = await button(/^config\.yml/)

  fireEvent.pointerDown(name, { pointerType: 'touch', clientX: 5, clientY: 5 })
  const sheet = await screen.findByRole('dialog', { name: /config.yml/ })
  fireEvent.pointerUp(name, { pointerType: 'touch' })
  fireEvent.click(name)

  expect(sheet).toBeDefined()
  expect(edited).toEqual([])
})

test('the menu of a file shows when exactly it was modified', async () => {
  const { user } = await open(fakeDisk(plugins))

  await user.click(await button('More actions for config.yml'))

  const menu = await screen.findByRole('menu')
  expect(document.getElementById(menu.getAttribute('aria-describedby') ?? '')?.textContent).toMatch(
    /^Modified Nov 1[45], 2023, \d+:\d\d:20.[AP]M$/,
  )
})

test('a folder that vanished offers the way up', async () => {
  const { user } = await open(fakeDisk(plugins), { path: 'plugins/gone' })

  expect(await screen.findByText('Folder not found')).toBeDefined()
  await user.click(await button('Go up'))

  expect(await row('config.yml')).toBeDefined()
})

test('a list that cannot be loaded shows why and can be tried again', async () => {
  const disk = fakeDisk(plugins)
  disk.panel.respond(getFile, new Refusal('ErrDisk', { reason: 'input/output error' }))
  const { user, panel } = await open(disk)

  expect(await screen.findByText('Could not load files')).toBeDefined()
  panel.respond(getFile, plugins.plugins)
  await user.click(await button('Try again'))

  expect(await row('config.yml')).toBeDefined()
})

test('without the permission to change files no control changes them', async () => {
  const { user, picked } = await open(fakeDisk(plugins), { canWrite: false })
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
  expect(bulk).toEqual(['', 'Download'])
  expect(picked).toEqual([])
  expect(screen.queryByRole('dialog')).toBeNull()
  for (const name of ['File', 'Folder', 'Upload']) expect(screen.queryByRole('button', { name })).toBeNull()
  expect(screen.getByText('View only')).toBeDefined()
})

test('u opens the dialog for files', async () => {
  const { user, picked } = await open(fakeDisk(plugins))
  await row('config.yml')

  await user.keyboard('u')

  expect(picked).toEqual(['files'])
})

test('special files are listed without actions', async () => {
  await open(fakeDisk({ plugins: [{ name: 'pipe', isFile: true, isOdd: true }, file('a.txt')] }))

  const pipe = await row('pipe')

  expect(within(pipe).getByText('Special file')).toBeDefined()
  expect(within(pipe).getByRole('checkbox').hasAttribute('disabled')).toBe(true)
  expect(within(pipe).queryByRole('button', { name: 'More actions for pipe' })).toBeNull()
})

test.for([
  ['short', 50],
  ['long', 1_000],
] as const)('a %s folder is found where it was scrolled to when one comes back to it', async ([, count]) => {
  holdAWindow()
  const regions = Array.from({ length: count }, (_, index) => folder(`region-${index}`))
  const { user } = await open(fakeDisk({ plugins: regions, 'plugins/region-25': regions }))
  const scroller = () => screen.getByRole('grid').parentElement as HTMLElement
  await row('region-0')
  scroller().scrollTo({ top: 700 })

  await user.click(within(await row('region-25')).getByText('region-25'))
  await waitFor(() => expect(crumb()).toBe('region-25'))
  await row('region-0')
  const below = scroller().scrollTop
  await user.click(screen.getByRole('link', { name: 'plugins' }))
  await waitFor(() => expect(crumb()).toBe('plugins'))

  await row('region-25')
  expect([below, scroller().scrollTop]).toEqual([0, 700])
})

test('of ten thousand files only those in view are rendered, and the keys reach the last one', async () => {
  holdAWindow()
  const many = Array.from({ length: 10_000 }, (_, index) => file(`chunk-${index}.dat`))
  const { user } = await open(fakeDisk({ plugins: many }))
  ;(await button('chunk-0.dat')).focus()

  const drawn = names().length
  await user.keyboard('{End}')

  await waitFor(() => expect(document.activeElement?.textContent).toBe('chunk-9999.dat'))
  expect(drawn).toBeLessThan(60)
  expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('10001')
})

test('on a phone a row has its facts below its name, and its actions in a sheet', async () => {
  onTestFinished(emulatePhone())
  const { user, edited } = await open(fakeDisk(plugins))
  const one = await row('config.yml')

  expect(within(one).getByText('1.00 KiB')).toBeDefined()
  await user.click(await button('More actions for config.yml'))
  const sheet = within(await screen.findByRole('dialog', { name: /config.yml/ }))
  const offered = sheet.getAllByRole('button').map((each) => each.textContent)
  await user.click(sheet.getByRole('button', { name: 'Edit' }))

  expect(offered).toEqual(
    expect.arrayContaining(['Edit', 'Download', 'Rename', 'Move', 'Copy', 'Archive', 'Copy path', 'Delete', 'Select']),
  )
  expect(edited).toEqual(['plugins/config.yml'])
})

/** A window of 600 px that can be scrolled, as jsdom has no layout. */
function holdAWindow(): void {
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600)
  const usual = Element.prototype.scrollTo
  Element.prototype.scrollTo = function (this: Element, to?: ScrollToOptions | number) {
    if (typeof to === 'object') this.scrollTop = to.top ?? 0
    this.dispatchEvent(new Event('scroll'))
  }
  onTestFinished(() => {
    Element.prototype.scrollTo = usual
  })
}
