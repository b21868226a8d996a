import { screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { ByteProgress } from './byte-progress.tsx'

const mib = 1024 ** 2

function Job() {
  const [bytes, setBytes] = useState(mib)
  return (
    <>
      <output>
        <ByteProgress bytes={bytes} totalBytes={9 * mib} />
      </output>
      <button type="button" onClick={() => setBytes(5 * mib)}>
        Poll
      </button>
    </>
  )
}

test('the rate is shown from the second figure on', async () => {
  const now = vi.spyOn(Date, 'now').mockReturnValue(1_000_000)
  const { user } = await openPart(<Job />)
  const first = (await screen.findByRole('status')).textContent
  now.mockReturnValue(1_002_000)

  await user.click(screen.getByRole('button', { name: 'Poll' }))

  expect([first, screen.getByRole('status').textContent]).toEqual(['1 MiB of 9 MiB', '5 MiB of 9 MiB · 2 MiB/s'])
  now.mockRestore()
})
