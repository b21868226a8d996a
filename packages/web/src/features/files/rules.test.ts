import type { FileJob } from '@innkeeper/contract/servers/files'
import { expect, test } from 'vitest'
import { basename } from '../../api/file-paths.ts'
import { createFormatters } from '../../i18n/formatters.ts'
import {
  chunk,
  type FileItem,
  filterItems,
  parseSort,
  type Sort,
  sortItems,
  toggleSort,
  toItems,
  totalSize,
} from './entries.ts'
import { getFileType, getOpenAction, isEditable } from './file-types.ts'
import { findEndedJobs, getJobError, getProgress } from './jobs/jobs.ts'
import { getArchiveName, getExtractFolderName, validateName } from './names.ts'
import { getSftpAddress, getSftpHost, getSftpUrl } from './sftp-card.tsx'
import { findConflicts, toFileJobRequests, validateDestination } from './transfer.ts'

const item = (path: string, more: Partial<FileItem> = {}): FileItem => ({
  path,
  name: basename(path),
  isFolder: false,
  size: 0,
  modified: undefined,
  isLink: false,
  isUnsupported: false,
  ...more,
})
const folder = (path: string) => item(path, { isFolder: true })

test('a listing is converted to items with their paths, without ..', () => {
  const items = toItems('plugins', [
    { name: '..', isFile: false },
    { name: 'data', isFile: false, size: 4096, modifyTime: 10 },
    { name: 'a.yml', isFile: true, size: 12, modifyTime: 1_700_000_000, extension: '.yml' },
    { name: 'pipe', isFile: true, isOdd: true },
  ])

  expect(
    items.map(({ path, isFolder, size, modified, isUnsupported }) => [path, isFolder, size, modified, isUnsupported]),
  ).toEqual([
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
  expect(sortItems(some, sort, createFormatters('en-US', String).compareNames).map(({ name }) => name)).toEqual(names)
})

test('a click on a column sorts by it, and the next one reverses the order', () => {
  const bySize = toggleSort({ by: 'name', isDescending: false }, 'size')

  expect(bySize).toEqual({ by: 'size', isDescending: true })
  expect(toggleSort(bySize, 'size')).toEqual({ by: 'size', isDescending: false })
  expect(parseSort({ by: 'modified', isDescending: true })).toEqual({ by: 'modified', isDescending: true })
  expect([parseSort({ by: 'color', isDescending: true }), parseSort(null), parseSort({ by: 'name' })]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('the filter looks for letters of either case, and sizes are added up', () => {
  expect(filterItems(some, ' REGION-1 ').map(({ name }) => name)).toEqual(['region-10.mca', 'region-1.mca'])
  expect(filterItems(some, ' ')).toHaveLength(5)
  expect(totalSize(some)).toBe(19)
  expect(chunk([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
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
  [item('pipe', { isUnsupported: true }), 'text', 'none', false],
] as const)('%o has the type %s, and opening it: %s', (thing, type, action, editable) => {
  expect([getFileType(thing), getOpenAction(thing), isEditable(thing)]).toEqual([type, action, editable])
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
])('the name %j: %s', (name, error) => {
  expect(
    validateName(
      name,
      new Map([
        ['there', 'file'],
        ['a folder', 'folder'],
      ]),
    ),
  ).toBe(error)
})

test.each([
  [[item('plugins/a'), item('plugins/b')], 'plugins', [], 'plugins.zip'],
  [[item('plugins/a')], 'plugins', ['plugins.zip'], 'plugins (2).zip'],
  [[folder('plugins/data')], 'plugins', [], 'data.zip'],
  [[folder('plugins/data'), folder('plugins/lang')], 'plugins', [], 'plugins.zip'],
  [[item('server.jar')], '', [], 'Oak - Valley.zip'],
])('an archive of %o in %j is called after a folder', (items, where, taken, name) => {
  expect(getArchiveName(items, where, 'Oak / Valley', new Set<string>(taken))).toBe(name)
})

test('what an archive holds can go to a folder named after it', () => {
  expect(getExtractFolderName('backup.tar.gz', new Set<string>())).toBe('backup')
  expect(getExtractFolderName('backup.zip', new Set(['backup']))).toBe('backup (2)')
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

test('progress is that of the bytes, otherwise of the entries, otherwise unknown', () => {
  expect(getProgress({ ...job, totalBytes: 200, totalEntries: 4 })).toBe(0.25)
  expect(getProgress({ ...job, totalEntries: 4 })).toBe(0.75)
  expect(getProgress(job)).toBeUndefined()
  expect(getProgress({ ...job, totalBytes: 25 })).toBe(1)
})

test('only jobs that were running before have ended', () => {
  const done: FileJob = { ...job, state: 'done' }

  expect(findEndedJobs(new Set(['one']), [done, { ...done, id: 'two' }])).toEqual([done])
  expect(findEndedJobs(new Set(['one']), [job])).toEqual([])
  expect(getJobError({ ...job, error: { code: 'ErrArchiveTooLarge', metadata: { limit: 'bytes' } } })).toMatchObject({
    code: 'ErrArchiveTooLarge',
    metadata: { limit: 'bytes' },
  })
})

test('items cannot be moved into themselves or their own folder, but copied there', () => {
  const data = folder('plugins/data')

  expect(validateDestination('move', [data], 'plugins/data/old')).toBe('errors.ErrFolderInItself')
  expect(validateDestination('copy', [data], 'plugins/data')).toBe('errors.ErrFolderInItself')
  expect(validateDestination('move', [data], 'plugins')).toBe('files.AlreadyInFolder')
  expect(validateDestination('copy', [data], 'plugins')).toBeUndefined()
  expect(validateDestination('move', [data], 'plugins/data2')).toBeUndefined()
})

test('each way to resolve conflicts becomes one job, and skipped items stay', () => {
  const items = ['a', 'b', 'c', 'd'].map((name) => item(`from/${name}`))
  const conflicts = findConflicts(items, 'to', new Set(['b', 'c', 'd', 'z']))

  const jobRequests = toFileJobRequests(
    'move',
    items,
    'to',
    new Map([
      ['from/b', 'replace'],
      ['from/c', 'keepBoth'],
      ['from/d', 'skip'],
    ]),
  )

  expect(conflicts.map(({ name }) => name)).toEqual(['b', 'c', 'd'])
  expect(jobRequests).toEqual([
    { kind: 'move', paths: ['from/a'], destination: 'to', existing: 'refuse' },
    { kind: 'move', paths: ['from/b'], destination: 'to', existing: 'replace' },
    { kind: 'move', paths: ['from/c'], destination: 'to', existing: 'keepBoth' },
  ])
})

test('a copy in the same folder keeps both without a question', () => {
  const items = [item('a.txt')]

  expect(findConflicts(items, '', new Set(['a.txt']))).toEqual([])
  expect(toFileJobRequests('copy', items, '', new Map())).toEqual([
    { kind: 'copy', paths: ['a.txt'], destination: '', existing: 'keepBoth' },
  ])
})

test('more items than the limit of a job become several jobs', () => {
  const items = Array.from({ length: 2_001 }, (_, index) => item(`from/${index}`))

  expect(
    toFileJobRequests('copy', items, 'to', new Map()).map((jobRequest) =>
      'paths' in jobRequest ? jobRequest.paths.length : 0,
    ),
  ).toEqual([1_000, 1_000, 1])
})

test('SFTP clients are sent to the node, or to the host of the page when the node is the same machine', () => {
  expect(getSftpHost({ publicHost: 'fra1.example.net' }, 'panel.example')).toBe('fra1.example.net')
  expect(getSftpHost({ publicHost: '127.0.0.1' }, 'panel.example')).toBe('panel.example')
  expect(getSftpAddress('fra1.example.net', 5657)).toBe('fra1.example.net:5657')
  expect(getSftpAddress('2001:db8::1', 5657)).toBe('[2001:db8::1]:5657')
  expect(getSftpUrl('mara@example.net#9f3c21a0', 'fra1.example.net', 5657)).toBe(
    'sftp://mara%40example.net%239f3c21a0@fra1.example.net:5657/',
  )
})
