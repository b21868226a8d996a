import type { FileJob } from '@innkeeper/contract/files'
import { expect, test } from 'vitest'
import { basename } from '../../api/file-paths.ts'
import { bytesOf, chunked, filtered, type Item, itemsFrom, type Sort, sorted, sortedBy, sortFrom } from './entries.ts'
import { endedOf, refusalOf, shareOf } from './jobs.ts'
import { isEditable, lookOf, openingOf } from './kinds.ts'
import { archiveNameOf, folderNameFor, objectionTo } from './names.ts'
import { nothingChosen, reached, toggled, toggledTo } from './selection.ts'
import { sftpAddressOf, sftpHostOf, sftpLinkOf } from './sftp.ts'
import { objectionToFolder, takenOf, workOf } from './transfer.ts'

const item = (path: string, more: Partial<Item> = {}): Item => ({
  path,
  name: basename(path),
  isFolder: false,
  size: 0,
  modified: undefined,
  isLink: false,
  isOdd: false,
  ...more,
})
const folder = (path: string) => item(path, { isFolder: true })

test('a listing becomes items with their places, without the way up', () => {
  const items = itemsFrom('plugins', [
    { name: '..', isFile: false },
    { name: 'data', isFile: false, size: 4096, modifyTime: 10 },
    { name: 'a.yml', isFile: true, size: 12, modifyTime: 1_700_000_000, extension: '.yml' },
    { name: 'pipe', isFile: true, isOdd: true },
  ])

  expect(items.map(({ path, isFolder, size, modified, isOdd }) => [path, isFolder, size, modified, isOdd])).toEqual([
    ['plugins/data', true, 0, 10_000, false],
    ['plugins/a.yml', false, 12, 1_700_000_000_000, false],
    ['plugins/pipe', false, 0, undefined, true],
  ])
})

const some = [
  item('region-10.mca', { size: 5, modified: 30 }),
  folder('world'),
  item('Region-2.mca', { size: 9, modified: 10 }),
  { ...folder('Data'), modified: 5 },
  item('region-1.mca', { size: 5, modified: 20 }),
]

test.each<[Sort, string[]]>([
  [{ by: 'name', isDescending: false }, ['Data', 'world', 'region-1.mca', 'Region-2.mca', 'region-10.mca']],
  [{ by: 'name', isDescending: true }, ['world', 'Data', 'region-10.mca', 'Region-2.mca', 'region-1.mca']],
  [{ by: 'size', isDescending: false }, ['Data', 'world', 'region-1.mca', 'region-10.mca', 'Region-2.mca']],
  [{ by: 'size', isDescending: true }, ['Data', 'world', 'Region-2.mca', 'region-1.mca', 'region-10.mca']],
  [{ by: 'modified', isDescending: true }, ['Data', 'world', 'region-10.mca', 'region-1.mca', 'Region-2.mca']],
])('by %o folders come first', (sort, names) => {
  expect(sorted(some, sort).map(({ name }) => name)).toEqual(names)
})

test('a click on a column sorts by it, the next one turns it round', () => {
  const bySize = sortedBy({ by: 'name', isDescending: false }, 'size')

  expect(bySize).toEqual({ by: 'size', isDescending: true })
  expect(sortedBy(bySize, 'size')).toEqual({ by: 'size', isDescending: false })
  expect(sortFrom({ by: 'modified', isDescending: true })).toEqual({ by: 'modified', isDescending: true })
  expect([sortFrom({ by: 'colour', isDescending: true }), sortFrom(null), sortFrom({ by: 'name' })]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('the filter looks for letters of either case, and sizes are added up', () => {
  expect(filtered(some, ' REGION-1 ').map(({ name }) => name)).toEqual(['region-10.mca', 'region-1.mca'])
  expect(filtered(some, ' ')).toHaveLength(5)
  expect(bytesOf(some)).toBe(19)
  expect(chunked([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
})

test.each([
  [folder('world'), 'folder', 'folder', false],
  [item('backup.tar.gz'), 'archive', 'extract', false],
  [item('Paper.JAR'), 'archive', 'extract', false],
  [item('icon.png'), 'image', 'preview', false],
  [item('map.svg'), 'image', 'preview', true],
  [item('config.yml'), 'code', 'edit', true],
  [item('.bashrc'), 'text', 'edit', true],
  [item('latest.log', { size: 20_971_520 }), 'text', 'edit', true],
  [item('latest.log', { size: 20_971_521 }), 'text', 'tooLarge', false],
  [item('pipe', { isOdd: true }), 'text', 'nothing', false],
] as const)('%o looks like %s, and opening it does: %s', (thing, look, opening, editable) => {
  expect([lookOf(thing), openingOf(thing), isEditable(thing)]).toEqual([look, opening, editable])
})

test.each([
  ['config.yml', undefined],
  ['...', undefined],
  ['a/b', 'files.NameHasSlash'],
  ['..', 'files.NameInvalid'],
  ['a\nb', 'files.NameInvalid'],
  ['ü'.repeat(128), 'files.NameTooLong'],
  ['there', 'files.FileExists'],
  ['a folder', 'files.FolderExists'],
  ['  ', 'files.NameBlank'],
  ['\u200b', 'files.NameBlank'],
])('the name %j: %s', (name, objection) => {
  expect(
    objectionTo(
      name,
      new Map([
        ['there', 'file'],
        ['a folder', 'folder'],
      ]),
    ),
  ).toBe(objection)
})

test.each([
  [[item('plugins/a'), item('plugins/b')], 'plugins', [], 'plugins.zip'],
  [[item('plugins/a')], 'plugins', ['plugins.zip'], 'plugins (2).zip'],
  [[folder('plugins/data')], 'plugins', [], 'data.zip'],
  [[folder('plugins/data'), folder('plugins/lang')], 'plugins', [], 'plugins.zip'],
  [[item('server.jar')], '', [], 'Oak - Valley.zip'],
])('an archive of %o in %j is called after a folder', (items, where, taken, name) => {
  expect(archiveNameOf(items, where, 'Oak / Valley', new Set<string>(taken))).toBe(name)
})

test('what an archive holds can go to a folder named after it', () => {
  expect(folderNameFor('backup.tar.gz', new Set<string>())).toBe('backup')
  expect(folderNameFor('backup.zip', new Set(['backup']))).toBe('backup (2)')
})

test('a choice is changed one by one, and by ranges that follow the order shown', () => {
  const order = ['a', 'b', 'c', 'd', 'e']

  const one = toggled(nothingChosen, 'b')
  const range = toggledTo(one, order, 'd')
  const less = toggledTo(toggled(range, 'c'), order, 'd')
  const alone = toggledTo(nothingChosen, order, 'c')

  expect([...range.paths]).toEqual(['b', 'c', 'd'])
  expect([...less.paths]).toEqual(['b'])
  expect([...alone.paths]).toEqual(['c'])
})

test('Shift and an arrow choose from where the range began, in both directions', () => {
  const order = ['a', 'b', 'c', 'd']

  const down = reached(reached(nothingChosen, order, 'b', 'c'), order, 'c', 'd')
  const back = reached(down, order, 'd', 'c')
  const above = reached(back, order, 'b', 'a')

  expect([...down.paths]).toEqual(['b', 'c', 'd'])
  expect([...back.paths]).toEqual(['b', 'c'])
  expect([...above.paths]).toEqual(['a', 'b'])
})

const job: FileJob = {
  id: 'one',
  kind: 'extract',
  path: 'a.zip',
  paths: 1,
  state: 'running',
  entries: 3,
  bytes: 50,
  startedAt: '2026-11-20T20:00:00Z',
}

test('how far work is follows from its bytes, else from its entries, else nobody knows', () => {
  expect(shareOf({ ...job, totalBytes: 200, totalEntries: 4 })).toBe(0.25)
  expect(shareOf({ ...job, totalEntries: 4 })).toBe(0.75)
  expect(shareOf(job)).toBeUndefined()
  expect(shareOf({ ...job, totalBytes: 25 })).toBe(1)
})

test('only the end of work that was seen running is news', () => {
  const done: FileJob = { ...job, state: 'done' }

  expect(endedOf(new Set(['one']), [done, { ...done, id: 'two' }])).toEqual([done])
  expect(endedOf(new Set(['one']), [job])).toEqual([])
  expect(refusalOf({ ...job, error: { code: 'ErrArchiveTooLarge', metadata: { limit: 'bytes' } } })).toMatchObject({
    code: 'ErrArchiveTooLarge',
    metadata: { limit: 'bytes' },
  })
})

test('things do not move into themselves or to where they are, but can be copied beside themselves', () => {
  const data = folder('plugins/data')

  expect(objectionToFolder('move', [data], 'plugins/data/old')).toBe('errors.ErrFolderInItself')
  expect(objectionToFolder('copy', [data], 'plugins/data')).toBe('errors.ErrFolderInItself')
  expect(objectionToFolder('move', [data], 'plugins')).toBe('files.AlreadyThere')
  expect(objectionToFolder('copy', [data], 'plugins')).toBeUndefined()
  expect(objectionToFolder('move', [data], 'plugins/data2')).toBeUndefined()
})

test('each answer about taken names becomes work of its own, and what is skipped stays', () => {
  const items = ['a', 'b', 'c', 'd'].map((name) => item(`from/${name}`))
  const taken = takenOf(items, 'to', new Set(['b', 'c', 'd', 'z']))

  const work = workOf(
    'move',
    items,
    'to',
    new Map([
      ['from/b', 'replace'],
      ['from/c', 'keepBoth'],
      ['from/d', 'skip'],
    ]),
  )

  expect(taken.map(({ name }) => name)).toEqual(['b', 'c', 'd'])
  expect(work).toEqual([
    { kind: 'move', paths: ['from/a'], destination: 'to', existing: 'refuse' },
    { kind: 'move', paths: ['from/b'], destination: 'to', existing: 'replace' },
    { kind: 'move', paths: ['from/c'], destination: 'to', existing: 'keepBoth' },
  ])
})

test('a copy beside the original keeps both without a question', () => {
  const items = [item('a.txt')]

  expect(takenOf(items, '', new Set(['a.txt']))).toEqual([])
  expect(workOf('copy', items, '', new Map())).toEqual([
    { kind: 'copy', paths: ['a.txt'], destination: '', existing: 'keepBoth' },
  ])
})

test('more things than one job may name become several jobs', () => {
  const items = Array.from({ length: 2_001 }, (_, index) => item(`from/${index}`))

  expect(workOf('copy', items, 'to', new Map()).map((work) => ('paths' in work ? work.paths.length : 0))).toEqual([
    1_000, 1_000, 1,
  ])
})

test('SFTP clients are sent to the node, or to the host of the page when the node is the same machine', () => {
  expect(sftpHostOf({ publicHost: 'fra1.example.net' }, 'panel.example')).toBe('fra1.example.net')
  expect(sftpHostOf({ publicHost: '127.0.0.1' }, 'panel.example')).toBe('panel.example')
  expect(sftpAddressOf('fra1.example.net', 5657)).toBe('fra1.example.net:5657')
  expect(sftpAddressOf('2001:db8::1', 5657)).toBe('[2001:db8::1]:5657')
  expect(sftpLinkOf('mara@example.net#9f3c21a0', 'fra1.example.net', 5657)).toBe(
    'sftp://mara%40example.net%239f3c21a0@fra1.example.net:5657/',
  )
})
