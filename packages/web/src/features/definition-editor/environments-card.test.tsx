import { fireEvent, screen, within } from '@testing-library/react'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { EnvironmentsCard, ServerEnvironmentCard } from './environments-card.tsx'
import type { JsonObject } from './json-path.ts'

/** Renders a card that edits `edited.raw`. */
async function openCard(initial: JsonObject, Card: typeof EnvironmentsCard) {
  const edited: { raw: JsonObject } = { raw: initial }
  function Page() {
    const [raw, setRaw] = useState(initial)
    edited.raw = raw
    return <Card raw={raw} onChange={setRaw} />
  }
  return { edited, ...(await openPart(<Page />)) }
}

const field = (name: string | RegExp) => screen.getByRole<HTMLInputElement>('textbox', { name })
/** Sets the whole value at once: typing would render the card for each letter. */
const fill = (name: string | RegExp, value: string) => fireEvent.change(field(name), { target: { value } })
const combobox = (name: string | RegExp) => screen.getByRole<HTMLInputElement>('combobox', { name })

test('each environment can be added once, and the default is updated with the list', async () => {
  const initial: JsonObject = {
    environment: { type: 'standard' },
    supportedEnvironments: [{ type: 'standard', odd: 1 }],
  }
  const { user, edited } = await openCard(initial, EnvironmentsCard)
  const add = async () => {
    await user.click(screen.getByRole('button', { name: 'Add environment' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add environment' }))
    await user.click(dialog.getByRole('button', { name: 'Add' }))
  }

  await add()
  await add()
  expect(screen.queryByRole('button', { name: 'Add environment' })).toBeNull()
  expect(edited.raw).toEqual({
    environment: { type: 'standard', odd: 1 },
    supportedEnvironments: [{ type: 'standard', odd: 1 }, { type: 'tty' }, { type: 'docker' }],
  })
  await user.click(screen.getByRole('button', { name: 'Remove Standard' }))
  expect(edited.raw).toEqual({ supportedEnvironments: [{ type: 'tty' }, { type: 'docker' }] })
  await user.click(screen.getByRole('combobox', { name: 'Default environment' }))
  await user.click(await screen.findByRole('option', { name: 'Terminal (tty)' }))
  expect(edited.raw.environment).toEqual({ type: 'tty' })

  await user.click(screen.getByRole('button', { name: 'Remove Docker' }))
  await user.click(screen.getByRole('button', { name: 'Remove Terminal (tty)' }))
  expect(screen.queryByRole('combobox', { name: 'Default environment' })).toBeNull()
  expect(edited.raw).toEqual({ supportedEnvironments: [] })
})

test('the container form of a template shows defaults and errors before it is added', async () => {
  const template = { supportedEnvironments: [{ type: 'standard' }, { type: 'tty' }], kept: 7 }
  const { user, edited } = await openCard(template, EnvironmentsCard)
  fireEvent.click(screen.getByRole('button', { name: 'Add environment' }))
  const add = within(await screen.findByRole('dialog')).getByRole<HTMLButtonElement>('button', { name: 'Add' })

  expect([combobox('Environment').value, combobox(/Network mode/).value]).toEqual(['Docker', 'host'])
  expect([field('Image').value, field('Image').placeholder]).toEqual(['', 'debian:stable-slim'])
  expect(screen.getByText('This network mode needs no port bindings.')).toBeDefined()
  fill('Image', 'game:2')
  await user.click(combobox(/Network mode/))
  await user.click(await screen.findByRole('option', { name: 'bridge' }))
  fireEvent.click(screen.getByRole('button', { name: 'Add port' }))
  expect([field('Host').value, combobox('Protocol').value]).toEqual(['0.0.0.0', 'tcp'])
  fill('Node port', '70000')
  fill('Container port', '25565')
  expect(screen.getByText('Enter numbers from 1 to 65535, or variables')).toBeDefined()
  expect(add.disabled).toBe(true)
  fill('Node port', '7000')
  fireEvent.click(screen.getByRole('button', { name: 'Add bind mount' }))
  fill('Path on the node', 'maps')
  fill('Path in the container', '/maps')
  expect(screen.getByText('Both paths must be absolute')).toBeDefined()
  fill('Path on the node', '/srv/maps')
  fireEvent.click(add)

  expect(edited.raw).toEqual({
    kept: 7,
    supportedEnvironments: [
      { type: 'standard' },
      { type: 'tty' },
      {
        type: 'docker',
        image: 'game:2',
        networkMode: 'bridge',
        bindings: { '/srv/maps': '/maps' },
        portBindings: ['0.0.0.0:7000:25565/tcp'],
      },
    ],
  })
  expect(screen.queryByRole('button', { name: 'Add environment' })).toBeNull()
})

test('the container form of a server reports whether it is valid', async () => {
  const docker = { type: 'docker', image: 'game:1', networkMode: 'bridge', portBindings: ['{ip}:1:2/udp'], kept: 7 }
  const onValidityChange = vi.fn()
  const Card = (part: Parameters<typeof EnvironmentsCard>[0]) => (
    <ServerEnvironmentCard {...part} onValidityChange={onValidityChange} />
  )
  const { user, edited } = await openCard({ environment: docker }, Card)

  expect([field('Image').value, combobox('Protocol').value]).toEqual(['game:1', 'udp'])
  await user.click(combobox(/Network mode/))
  await user.click(await screen.findByRole('option', { name: 'macvlan' }))
  expect(screen.getByText('Network name is required')).toBeDefined()
  expect(onValidityChange).toHaveBeenLastCalledWith(false)
  fill(/Network name/, 'lan')
  fill('Memory (MiB)', '512')

  expect(onValidityChange).toHaveBeenLastCalledWith(true)
  expect(edited.raw).toEqual({
    environment: { ...docker, networkMode: 'macvlan', networkName: 'lan', limits: { memory: 512 } },
  })
})
