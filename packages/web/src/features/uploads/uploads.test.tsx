import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { Link } from 'react-router'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { FilePanel, refuse } from '../../testing/file-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { folderHoverMs } from '../../ui/fields/use-file-drop.ts'
import { DropTarget } from './drop-target.tsx'
import { InterruptedUploads } from './interrupted-uploads.tsx'
import { saveResumableUpload } from './resume-store.ts'
import { usePicker } from './use-picker.tsx'
import { useUploads, useUploadsDone } from './use-uploads.tsx'

let panel: FilePanel
beforeEach(async () => {
  panel = await FilePanel.open()
})
afterEach(() => panel.close())

/** What the Files tab does with the parts. */
function Files({ canWrite = true }: { canWrite?: boolean }) {
  const { add } = useUploads()
  const [fresh, setFresh] = useState<readonly string[]>([])
  useUploadsDone('lobby', setFresh)
  const picker = usePicker((items) => add('lobby', 'plugins', items))
  return (
    <>
      {picker.inputs}
      <button type="button" onClick={picker.pickFiles}>
        Upload
      </button>
      <DropTarget folder="plugins" canWrite={canWrite} onDrop={(folder, items) => add('lobby', folder, items)}>
        <div data-drop-folder="plugins/LandClaim">LandClaim</div>
        <div>readme.txt</div>
      </DropTarget>
      <Link to="/elsewhere">leave</Link>
      <output>{fresh.join(', ')}</output>
    </>
  )
}

const openFiles = (part = <Files />) => openPart(part, { panel: panel.withFiles() })
const input = () => screen.getByLabelText<HTMLInputElement>('Select files to upload')
const queue = () => screen.findByRole('region', { name: 'Uploads' })
const getFile = (name: string) => new File([name], name)
/** A drag as a browser shows it: while it lasts only that files come, at the drop which. */
const drag = (...files: File[]) => ({
  dataTransfer: {
    types: ['Files'],
    dropEffect: 'none',
    items: files.map((file) => ({
      kind: 'file',
      getAsFile: () => file,
      webkitGetAsEntry: () => ({ name: file.name, isDirectory: false }),
    })),
  },
})

test('selected files appear in the queue, and the list is refreshed after the upload', async () => {
  const { user } = await openFiles()

  await user.upload(input(), [getFile('a.yml'), getFile('b.yml')])

  expect(await within(await queue()).findByText('2 uploaded')).toBeDefined()
  expect(await screen.findByText('plugins')).toBeDefined()
  expect([...panel.files.keys()]).toEqual(['plugins/a.yml', 'plugins/b.yml'])
})

test('the queue outlives the page that filled it', async () => {
  let go = () => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  panel.intercept = async ({ method }) => {
    if (method === 'PUT') await gate
    return false
  }
  const { user } = await openFiles()
  await user.upload(input(), getFile('a.yml'))
  expect(await within(await queue()).findByText('Uploading 1 of 1')).toBeDefined()

  await user.click(screen.getByRole('link', { name: 'leave' }))
  expect(await screen.findByText('elsewhere')).toBeDefined()
  go()

  expect(await within(await queue()).findByText('1 uploaded')).toBeDefined()
})

test('closing the window asks only during an upload', async () => {
  let go = () => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  panel.intercept = async ({ method }) => {
    if (method === 'PUT') await gate
    return false
  }
  const isAsked = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  const { user } = await openFiles()

  await user.upload(input(), getFile('a.yml'))
  await waitFor(() => expect(isAsked()).toBe(true))
  go()

  await within(await queue()).findByText('1 uploaded')
  expect(isAsked()).toBe(false)
})

test('the queue can be minimized and restored', async () => {
  panel.intercept = ({ method }) => method === 'PUT'
  const { user } = await openFiles()
  await user.upload(input(), [getFile('a.yml'), getFile('b.yml')])

  await user.click(await within(await queue()).findByRole('button', { name: 'Minimize' }))
  const minimized = await within(await queue()).findByRole('button', { name: /1 of 2 · \d+%/ })
  await user.click(minimized)

  await user.click(within(await queue()).getByRole('button', { name: 'Cancel all' }))
  expect(await within(await queue()).findAllByText('Canceled')).toHaveLength(2)
})

test('a failure is read out with its reason, and so is the end', async () => {
  panel.intercept = ({ method }, response) => {
    if (method === 'PUT') refuse(response, 'ErrNoPermission')
    return method === 'PUT'
  }
  const { user } = await openFiles()

  await user.upload(input(), getFile('a.yml'))

  const announcement =
    /Could not upload plugins\/a\.yml: You do not have permission to perform this action.*0 uploaded, 1 failed/
  expect((await screen.findByText(announcement)).getAttribute('role')).toBe('status')
})

test('files of the same name are shown with their folders', async () => {
  const { user } = await openFiles()
  const picked = (path: string) => Object.defineProperty(getFile('f1.txt'), 'webkitRelativePath', { value: path })

  await user.upload(input(), [picked('alpha/f1.txt'), picked('beta/f1.txt')])

  const list = within(await queue()).getByRole('list')
  await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(2))
  expect(within(list).getByText('plugins/alpha/')).toBeDefined()
  expect(await screen.findByRole('button', { name: 'Remove plugins/beta/f1.txt from the list' })).toBeDefined()
})

test('a conflict is no longer announced once it is resolved', async () => {
  panel.put('plugins/a.yml', 'theirs')
  const { user } = await openFiles()
  await user.upload(input(), getFile('a.yml'))
  const announcement = () =>
    screen
      .getAllByRole('status')
      .map(({ textContent }) => textContent)
      .join('')
  const question = await screen.findByRole('region', { name: 'plugins/a.yml already exists.' })
  const before = announcement()

  await user.click(within(question).getByRole('button', { name: 'Skip' }))
  await waitFor(() => expect(announcement()).not.toContain('a.yml'))
  await user.click(await screen.findByRole('button', { name: 'Close uploads' }))

  expect(before).toMatch(/a\.yml already exists|name already exists/)
  await waitFor(() => expect(announcement()).toBe(''))
})

test('one choice resolves all conflicts', async () => {
  panel.put('plugins/a.yml', 'theirs')
  panel.put('plugins/b.yml', 'theirs')
  const { user } = await openFiles()
  await user.upload(input(), [getFile('a.yml'), getFile('b.yml')])
  const question = await screen.findByRole('region', { name: 'plugins/a.yml already exists.' })

  await user.click(await within(question).findByRole('checkbox', { name: /Apply to all/ }))
  await user.click(within(question).getByRole('button', { name: 'Keep both' }))

  await within(await queue()).findByText('2 uploaded')
  expect(panel.getText('plugins/a (2).yml')).toBe('a.yml')
  expect(panel.getText('plugins/b (2).yml')).toBe('b.yml')
})

test('dropping aims at the folder shown, or at the folder on which the pointer rests', async () => {
  await openFiles()
  const other = await screen.findByText('readme.txt')
  const row = screen.getByText('LandClaim')

  fireEvent.dragEnter(other, drag())
  expect(await screen.findByText('Upload to plugins')).toBeDefined()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000)
  onTestFinished(() => clock.mockRestore())
  fireEvent.dragOver(row, drag())
  expect(screen.getByText('Upload to plugins')).toBeDefined()
  clock.mockReturnValue(1_000 + folderHoverMs)
  fireEvent.dragOver(row, drag())
  expect(await screen.findByText('Upload to plugins/LandClaim')).toBeDefined()
  expect(row.hasAttribute('data-drop-active')).toBe(true)
  fireEvent.drop(row, drag(getFile('config.yml')))

  expect(screen.queryByText('Upload to plugins/LandClaim')).toBeNull()
  await waitFor(() => expect(panel.getText('plugins/LandClaim/config.yml')).toBe('config.yml'))
})

test('without permission a drop does nothing, and does not open the file either', async () => {
  await openFiles(<Files canWrite={false} />)
  const row = await screen.findByText('LandClaim')

  fireEvent.dragEnter(row, drag())
  const isLeftToBrowser = fireEvent.drop(row, drag(getFile('a.yml')))

  expect(isLeftToBrowser).toBe(false)
  expect(screen.queryByText(/Upload to/)).toBeNull()
  expect(panel.requests).toEqual([])
})

const upload = '1'.repeat(32)
const interrupted = { server: 'lobby', upload, path: 'backups/world.zip', size: 9, existing: 'refuse' } as const

function unfinished(): void {
  panel.uploads.set(upload, { path: 'backups/world.zip', existing: 'refuse', size: 9, bytes: Buffer.from('worl') })
  saveResumableUpload({ ...interrupted, lastModified: 5, movedAt: Date.now() - 3_600_000 })
}

test('an interrupted upload is resumed with the same file only', async () => {
  unfinished()
  const { user } = await openFiles(<InterruptedUploads server="lobby" canWrite />)
  expect(await screen.findByText('1 upload was interrupted')).toBeDefined()
  const chooser = screen.getByLabelText('Select world.zip again to resume')

  await user.upload(chooser, new File(['something'], 'world.zip', { lastModified: 6 }))
  expect((await screen.findByRole('alert')).textContent).toBe('This file differs from the one being uploaded')
  await user.upload(chooser, new File(['world.zip'], 'world.zip', { lastModified: 5 }))

  await waitFor(() => expect(panel.getText('backups/world.zip')).toBe('world.zip'))
  await waitFor(() => expect(screen.queryByText('1 upload was interrupted')).toBeNull())
})

test('an interrupted upload can be discarded', async () => {
  unfinished()
  const { user } = await openFiles(<InterruptedUploads server="lobby" canWrite />)

  await user.click(await screen.findByRole('button', { name: 'Discard the upload of world.zip' }))

  await vi.waitFor(() => expect(panel.uploads.size).toBe(0))
  await waitFor(() => expect(screen.queryByText('1 upload was interrupted')).toBeNull())
})

test('uploads of other users and browsers are not ended by this browser', async () => {
  panel.uploads.set('2'.repeat(32), { path: 'theirs.zip', existing: 'refuse', size: 9, bytes: Buffer.alloc(0) })
  unfinished()
  await openFiles(<InterruptedUploads server="lobby" canWrite />)

  expect(await screen.findByText('backups/world.zip')).toBeDefined()
  expect(screen.queryByText('theirs.zip')).toBeNull()
})
