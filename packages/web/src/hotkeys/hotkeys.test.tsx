import { screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openApp } from '../testing/open-app.tsx'
import { openPart } from '../testing/open-part.tsx'
import { useConfirm } from '../ui/overlays/confirm.ts'
import { useHotkeys } from './hotkeys.tsx'
import { SequenceHint } from './sequence-hint.tsx'

const admin = ['servers.admin']

test('g n goes to the nodes, and after g the hint lists where one can go', async () => {
  const { user, path } = await openApp('/account', { as: admin })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('g')
  expect((await screen.findByText('then')).parentElement?.textContent).toContain('Nodes')
  await user.keyboard('n')

  await waitFor(() => expect(path()).toBe('/node'))
})

test('Esc ends a sequence that has begun', async () => {
  const { user, path } = await openApp('/account', { as: admin })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('g{Escape}n')

  expect(screen.queryByText('then')).toBeNull()
  expect(path()).toBe('/account')
})

test('keys stay quiet while typing, with a modifier, and under a dialog', async () => {
  const { user, path } = await openApp('/template', { as: admin })
  await user.type(await screen.findByRole('searchbox'), 'gs')
  expect(path()).toBe('/template')
  await user.tab()

  await user.keyboard('{Control>}g{/Control}s')
  expect(path()).toBe('/template')

  await user.keyboard('?')
  await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })
  await user.tab()
  await user.keyboard('gs')
  expect(path()).toBe('/template')
})

test.for([
  ['MacIntel', '⌘K'],
  ['Linux x86_64', 'CtrlK'],
] as const)('on %s the sheet of shortcuts shows the key of the palette as %s', async ([platform, shown]) => {
  const stub = vi.spyOn(navigator, 'platform', 'get').mockReturnValue(platform)
  onTestFinished(() => stub.mockRestore())
  const { user } = await openApp('/account', { as: admin })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('?')

  const sheet = within(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' }))
  const row = (await sheet.findByText('Search or run a command')).closest('li') as HTMLElement
  expect([...row.querySelectorAll('kbd')].map((key) => key.textContent).join('')).toBe(shown)
  await user.type(sheet.getByRole('textbox'), platform === 'MacIntel' ? '⌘' : 'ctrl')
  expect(row.isConnected).toBe(true)
})

test('pages without permission have no shortcut', async () => {
  const { user, path } = await openApp('/account', { as: ['servers.view'] })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('gn')

  expect(path()).toBe('/account')
})

test('the palette also opens from a text field and navigates to the selected page', async () => {
  const { user, path } = await openApp('/account', { as: admin })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('{Control>}k{/Control}')
  await user.type(await screen.findByRole('combobox', { name: /Search or run/ }), 'templ{Enter}')

  await waitFor(() => expect(path()).toBe('/template'))
})

test('text typed right after Ctrl+K goes into the palette, even while it is loading', async () => {
  const { user, path } = await openApp('/account', { as: admin })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('{Control>}k{/Control}gn')

  await waitFor(() => expect(screen.getByRole('combobox', { name: /Search or run/ })).toHaveProperty('value', 'gn'))
  expect(path()).toBe('/account')
})

test('Esc right after Ctrl+K leaves the page as it was', async () => {
  const { user, path } = await openApp('/account', { as: admin })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('{Control>}k{/Control}x{Escape}gn')

  await waitFor(() => expect(path()).toBe('/node'))
  expect(screen.queryByRole('combobox', { name: /Search or run/ })).toBeNull()
})

test('a sequence that has begun ends, with its hint, when a dialog is opened', async () => {
  const { user } = await openApp('/account', { as: admin })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('g{Control>}k{/Control}')

  await screen.findByRole('combobox', { name: /Search or run/ })
  expect(screen.queryByText('then')).toBeNull()
})

function PowerAndFiles({ done }: { done: string[] }) {
  const confirm = useConfirm()
  useHotkeys([
    { keys: 'r r', label: 'Restart', group: 'Power', run: () => done.push('restart') },
    { keys: 'r', label: 'Refresh files', group: 'Files', waitsForNextKey: true, run: () => done.push('refresh') },
  ])
  const remove = async () => {
    const isSure = await confirm({
      title: 'Delete Terraria?',
      action: 'Delete server',
      typeToConfirm: 'rr',
      danger: true,
    })
    done.push(isSure ? 'delete' : 'keep')
  }
  return (
    <>
      <button type="button" onClick={() => void remove()}>
        Delete
      </button>
      <SequenceHint />
    </>
  )
}

test('a key that also begins a sequence acts when no other key follows, and the hint says so', async () => {
  const done: string[] = []
  const { user } = await openPart(<PowerAndFiles done={done} />)

  await user.keyboard('r')
  expect(screen.getByText('or wait: Refresh files')).toBeDefined()
  await waitFor(() => expect(done).toEqual(['refresh']), { timeout: 3_000 })
  expect(screen.queryByText('then')).toBeNull()
  await user.keyboard('rr')

  expect(done).toEqual(['refresh', 'restart'])
})

test('text typed right after Delete goes into the dialog and triggers no shortcut of the page', async () => {
  const done: string[] = []
  const { user } = await openPart(<PowerAndFiles done={done} />)

  await user.click(screen.getByRole('button', { name: 'Delete' }))
  await user.keyboard('rr')
  const field = await screen.findByRole('textbox')
  await waitFor(() => expect(field).toHaveProperty('value', 'rr'))
  expect(done).toEqual([])
  await user.keyboard('{Enter}')

  await waitFor(() => expect(done).toEqual(['delete']))
})
