import { getTemplate, listTemplates, putTemplate } from '@innkeeper/contract/templates/templates'
import { act, cleanup, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
// Loaded when they are first opened; here they are there already.
import './add-template-screen.tsx'
import './template-editor.tsx'
import './template-screen.tsx'

async function openForm() {
  const panel = new FakePanel()
  panel.respond(listTemplates, [])
  panel.respond(putTemplate, undefined)
  panel.respond(getTemplate, { name: 'hard-chess', type: 'generic', data: {}, run: {}, supportedEnvironments: [] })
  const app = await openApp('/addtemplate', { as: ['templates.view', 'templates.edit'], panel })
  const display = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Display name' })
  return { ...app, display, name: screen.getByRole<HTMLInputElement>('textbox', { name: /^ID/ }) }
}

test('leaving a new template asks for confirmation', async () => {
  const { user, display, router, path } = await openForm()
  await user.type(display, 'Hard Chess')

  act(() => void router.navigate('/template'))

  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeTruthy()
  expect(path()).toBe('/addtemplate')
})

test('a created template opens without confirmation', async () => {
  const { user, display, path } = await openForm()
  await user.type(display, 'Hard Chess')

  await user.click(screen.getByRole('button', { name: 'Create template' }))

  await waitFor(() => expect(path()).toBe('/template/hard-chess'))
  expect(Object.keys(sessionStorage).filter((key) => key.includes('.form.'))).toEqual([])
})

test('the draft of a new template is offered after the session expired', async () => {
  const first = await openForm()
  await first.user.type(first.display, 'Hard Chess')
  await waitFor(() => expect(Object.values(sessionStorage).join()).toContain('hard-chess'))
  cleanup()

  const { user, display, name } = await openForm()
  await user.click(await screen.findByRole('button', { name: 'Restore' }))

  expect([display.value, name.value]).toEqual(['Hard Chess', 'hard-chess'])
})

test('the ID follows the display name until it is edited', async () => {
  const { user, display, name } = await openForm()
  await user.type(display, 'Hard')
  const followed = name.value

  await user.type(name, '-2')
  await user.type(display, ' Chess')

  expect(followed).toBe('hard')
  expect(name.value).toBe('hard-2')
})
