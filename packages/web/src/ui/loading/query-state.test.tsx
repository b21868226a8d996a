import { Skeleton } from '@mantine/core'
import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { QueryState } from './query-state.tsx'

type Query = Parameters<typeof QueryState<readonly string[]>>[0]['query']

const open = (query: Partial<Query>) =>
  openPart(
    <QueryState<readonly string[]>
      query={{ data: undefined, dataUpdatedAt: 0, error: null, isPending: false, refetch: vi.fn(), ...query } as Query}
      errorTitle="Could not load the names"
      skeleton={<Skeleton role="progressbar" aria-label="Loading" />}
      isEmpty={(names) => names.length === 0}
      empty={<p>No names</p>}
    >
      {(names) => <p>{names.join(' ')}</p>}
    </QueryState>,
  )

test('a skeleton is shown when loading takes long', async () => {
  await open({ isPending: true })

  expect(await screen.findByRole('progressbar')).toBeDefined()
})

test('a failed query can be retried', async () => {
  const refetch = vi.fn()
  const { user } = await open({ error: new Error('gone'), refetch })

  await user.click(await screen.findByRole('button', { name: 'Try again' }))

  expect(screen.getByRole('alert').textContent).toContain('Could not load the names')
  expect(refetch).toHaveBeenCalledOnce()
})

test('data is shown, or the empty state', async () => {
  await open({ data: ['mara', 'wren'] })
  await waitFor(() => expect(screen.getByText('mara wren')).toBeDefined())

  await open({ data: [] })
  await waitFor(() => expect(screen.getByText('No names')).toBeDefined())
})

test('data that could not be refreshed stays, with its time and another try', async () => {
  const refetch = vi.fn()
  const loaded = new Date(2026, 0, 2, 18, 2).getTime()
  const { user } = await open({ data: ['mara'], dataUpdatedAt: loaded, error: new Error('gone'), refetch })

  await user.click(await screen.findByRole('button', { name: 'Try again' }))

  expect(screen.getByText('mara')).toBeDefined()
  expect(screen.getByRole('status').textContent).toMatch(/Showing data from .*2.*2026/)
  expect(refetch).toHaveBeenCalledOnce()
})
