import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { storeToken } from '../../api/token.ts'
import { FilePanel, refuse } from '../../testing/file-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { ImagePreview } from './image-preview.tsx'

let panel: FilePanel
/** The created and the revoked object URLs. */
const made = new Map<string, Blob>()
beforeEach(async () => {
  panel = await FilePanel.open()
  panel.put('art/logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
  panel.put('art/map.png', 'not really')
  made.clear()
  URL.createObjectURL = (blob) => {
    const url = `blob:${location.origin}/${made.size}`
    made.set(url, blob as Blob)
    return url
  }
  URL.revokeObjectURL = (url) => void made.delete(url)
})
afterEach(() => panel.close())

function Place({ onDownload }: { onDownload: (path: string) => void }) {
  const [path, setPath] = useState<string | undefined>('art/logo.svg')
  if (path === undefined) return <p>closed</p>
  return (
    <ImagePreview
      server="lobby"
      path={path}
      onDownload={onDownload}
      images={['art/logo.svg', 'art/map.png']}
      onShow={setPath}
      onClose={() => setPath(undefined)}
    />
  )
}

async function openPreview() {
  const onDownload = vi.fn()
  const { user } = await openPart(<Place onDownload={onDownload} />, { panel: panel.withFiles() })
  return { user, onDownload, preview: await screen.findByRole('dialog', { name: /^Image/ }) }
}

test('an image is fetched with the token and shown from memory, as an image and nothing else', async () => {
  storeToken('token-of-mara')
  const { preview } = await openPreview()

  const image = await within(preview).findByRole<HTMLImageElement>('img', { name: 'logo.svg' })

  expect(image.src).toMatch(/^blob:/)
  expect(made.get(image.src)?.type).toBe('image/svg+xml')
  expect([...panel.authorizations]).toContain('Bearer token')
})

test('next and previous show the images of the folder, and object URLs are revoked', async () => {
  const { user, preview } = await openPreview()
  await within(preview).findByRole('img', { name: 'logo.svg' })

  await user.click(screen.getByRole('button', { name: 'Next image' }))

  expect(await screen.findByRole('img', { name: 'map.png' })).toBeDefined()
  expect(screen.getByText('2 of 2')).toBeDefined()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Next image' }).disabled).toBe(true)
  expect(made.size).toBe(1)
})

test('where text runs from right to left, the left arrow key shows the next image', async ({ onTestFinished }) => {
  const { user, preview } = await openPreview()
  document.documentElement.dir = 'rtl'
  onTestFinished(() => document.documentElement.removeAttribute('dir'))
  await within(preview).findByRole('img', { name: 'logo.svg' })

  within(preview).getByRole('button', { name: 'Next image' }).focus()
  await user.keyboard('{ArrowLeft}')

  expect(await screen.findByRole('img', { name: 'map.png' })).toBeDefined()
})

test('what no browser can show says so, and can still be downloaded', async () => {
  const { user, preview, onDownload } = await openPreview()

  fireEvent.error(await within(preview).findByRole('img', { name: 'logo.svg' }))
  expect(await screen.findByText(/Could not show this image/)).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Download' }))

  expect(onDownload).toHaveBeenCalledWith('art/logo.svg')
})

test('an image that cannot be loaded shows the reason', async () => {
  panel.intercept = ({ method }, response) => {
    if (method === 'GET') refuse(response, 'ErrFileNotFound')
    return method === 'GET'
  }
  const { user } = await openPreview()

  expect(await screen.findByText('Failed loading file')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(screen.getByText('closed')).toBeDefined())
})
