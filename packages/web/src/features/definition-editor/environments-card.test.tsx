import { screen, within } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { EnvironmentsCard } from './environments-card.tsx'
import type { Raw } from './raw.ts'

test('each environment is offered once, and the default follows the list', async () => {
  const begun: Raw = { environment: { type: 'standard' }, supportedEnvironments: [{ type: 'standard', odd: 1 }] }
  let held = begun
  function Held() {
    const [raw, setRaw] = useState(begun)
    held = raw
    return <EnvironmentsCard raw={raw} onChange={setRaw} />
  }
  const { user } = await openPart(<Held />)
  const add = async () => {
    await user.click(screen.getByRole('button', { name: 'Add environment' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add environment' }))
    await user.click(dialog.getByRole('button', { name: 'Add' }))
  }

  await add()
  await add()
  expect(screen.queryByRole('button', { name: 'Add environment' })).toBeNull()
  expect(held).toEqual({
    environment: { type: 'standard', odd: 1 },
    supportedEnvironments: [{ type: 'standard', odd: 1 }, { type: 'tty' }, { type: 'docker' }],
  })
  await user.click(screen.getByRole('button', { name: 'Remove Standard' }))
  expect(held).toEqual({ supportedEnvironments: [{ type: 'tty' }, { type: 'docker' }] })
  await user.click(screen.getByRole('combobox', { name: 'Default environment' }))
  await user.click(await screen.findByRole('option', { name: 'Terminal (tty)' }))
  expect(held.environment).toEqual({ type: 'tty' })

  await user.click(screen.getByRole('button', { name: 'Remove Docker' }))
  await user.click(screen.getByRole('button', { name: 'Remove Terminal (tty)' }))
  expect(screen.queryByRole('combobox', { name: 'Default environment' })).toBeNull()
  expect(held).toEqual({ supportedEnvironments: [] })
})
