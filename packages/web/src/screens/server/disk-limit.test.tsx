import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openServerPage } from './testing/fake-panel.tsx'

const mebi = 1024 ** 2

test('a server with nearly no disk space left shows a warning, until it has enough again', async () => {
  const { waitUntilLive, reportStatus } = await openServerPage()
  await waitUntilLive()

  reportStatus('online', { lowDiskSpace: { usedBytes: 98.5 * mebi, limitBytes: 100 * mebi } })
  const alert = await screen.findByText(/disk space/)
  const text = alert.textContent
  reportStatus('online')

  expect(text).toContain('This server has used 99 of its 100 MiB of disk space. Delete files and empty the trash')
  await waitFor(() => expect(screen.queryByText(/disk space/)).toBeNull())
})
