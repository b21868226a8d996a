import { screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { uploadBytes } from '../../api/upload-download.ts'
import { openServerPage } from './testing/fake-panel.tsx'

vi.mock(import('../../api/upload-download.ts'), async (original) => ({
  ...(await original()),
  uploadBytes: vi.fn(async () => ({ header: () => null })),
}))

const at = '2026-01-01T00:00:00Z'
const permissions = { viewServerConsole: true, startServer: true, editServerData: true, putServerFiles: true }
const image = {
  type: 'option',
  value: 'java:17',
  userEdit: true,
  display: 'Image',
  options: [
    { value: 'java:17', display: 'Java 17' },
    { value: 'java:21', display: 'Java 21' },
  ],
}

test('a user who may write files and start the server accepts the license, and the server starts', async () => {
  const { waitUntilLive, reportStatus, requests } = await openServerPage({ state: 'offline', permissions })
  await waitUntilLive()
  reportStatus('offline', { prompt: { type: 'eula', at } })

  await userEvent.click(await screen.findByRole('button', { name: 'Accept and start' }))

  await waitFor(() =>
    expect(requests.map(({ endpoint }) => endpoint)).toContain('POST /proxy/daemon/server/deadbeef/start'),
  )
  const [, input, body] = vi.mocked(uploadBytes).mock.calls[0] ?? []
  expect(input).toMatchObject({ params: { id: 'deadbeef', path: 'eula.txt' } })
  expect(await (body as Blob).text()).toBe('eula=true\n')
})

test('another image is chosen, saved and started', async () => {
  const { waitUntilLive, reportStatus, requests } = await openServerPage({
    state: 'offline',
    permissions,
    variables: { image },
  })
  await waitUntilLive()
  reportStatus('offline', { prompt: { type: 'javaVersion', variable: 'image', at } })

  await userEvent.click(await screen.findByRole('combobox', { name: 'Image' }))
  await userEvent.click(await screen.findByRole('option', { name: 'Java 21' }))
  await userEvent.click(screen.getByRole('button', { name: 'Save and start' }))

  await waitFor(() =>
    expect(requests.map(({ endpoint }) => endpoint)).toContain('POST /proxy/daemon/server/deadbeef/start'),
  )
  const saved = requests.find(({ endpoint }) => endpoint === 'POST /proxy/daemon/server/deadbeef/data')
  expect(saved?.body).toEqual({ data: { image: { value: 'java:21' } } })
})

test('who lacks the permissions sees the text only, and can close it', async () => {
  const { waitUntilLive, reportStatus } = await openServerPage({
    state: 'offline',
    permissions: { viewServerConsole: true },
  })
  await waitUntilLive()
  reportStatus('offline', { prompt: { type: 'eula', at } })

  const text = await screen.findByText(/Minecraft EULA/)
  const accept = screen.queryByRole('button', { name: 'Accept and start' })
  await userEvent.click(screen.getByRole('button', { name: 'Close' }))

  expect(accept).toBeNull()
  expect(text.isConnected).toBe(false)
})

test('a question that this version does not know is not shown', async () => {
  const { waitUntilLive, reportStatus } = await openServerPage({ state: 'offline', permissions })
  await waitUntilLive()

  reportStatus('offline', { prompt: { type: 'somethingNew', at } })
  reportStatus('offline', { prompt: { type: 'diskSpace', at: '2026-01-01T00:00:01Z' } })

  expect((await screen.findAllByRole('alert')).map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('SteamCMD'),
  ])
})
