import { Menu } from '@mantine/core'
import { screen, waitFor } from '@testing-library/react'
import type { ComponentType } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { lazySource } from '../hooks/use-lazy-component.ts'
import { ControlledMenu, type MenuControl } from './controlled-menu.tsx'
import { LazyMenu } from './lazy-menu.tsx'

interface ActionsProps {
  readonly name: string
  readonly frame: MenuControl
}

beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue())
afterEach(() => void vi.restoreAllMocks())

const Actions = ({ name, frame }: ActionsProps) => (
  <ControlledMenu control={frame}>
    <Menu.Dropdown>
      <Menu.Item>Start {name}</Menu.Item>
    </Menu.Dropdown>
  </ControlledMenu>
)

async function openPage(load: () => Promise<ComponentType<ActionsProps>>) {
  const actions = lazySource(load)
  const { user } = await openPart(
    <LazyMenu
      menu={actions}
      menuProps={{ name: 'Arena' }}
      renderTarget={(target) => (
        <button type="button" {...target}>
          More
        </button>
      )}
    />,
  )
  const button = await screen.findByRole('button', { name: 'More' })
  button.focus()
  return { user, button }
}

test('a menu is loaded when it is first opened, and returns the focus when it closes', async () => {
  const load = vi.fn(() => Promise.resolve(Actions))
  const { user, button } = await openPage(load)
  expect(load).not.toHaveBeenCalled()

  await user.keyboard('{Enter}')

  expect(await screen.findByRole('menuitem', { name: 'Start Arena' })).toBeDefined()
  await user.keyboard('{Escape}')
  await waitFor(() => expect(document.activeElement).toBe(button))
})

test('a menu that cannot be loaded says so once, keeps the focus, and opens at the next try', async () => {
  const load = vi.fn(() => Promise.resolve(Actions))
  load.mockRejectedValue(new TypeError('Failed to fetch dynamically imported module'))
  const { user, button } = await openPage(load)

  await user.keyboard('{Enter}')

  expect((await screen.findAllByRole('alert')).map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('This could not be opened'),
  ])
  expect(document.activeElement).toBe(button)
  expect(button.getAttribute('aria-expanded')).toBe('false')
  load.mockResolvedValue(Actions)
  await user.keyboard('{Enter}')
  expect(await screen.findByRole('menuitem', { name: 'Start Arena' })).toBeDefined()
})
