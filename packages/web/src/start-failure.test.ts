import { screen, within } from '@testing-library/react'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, onTestFinished, test } from 'vitest'
import { showStartFailure } from './start-failure.ts'

function addRoot(): HTMLElement {
  const root = document.body.appendChild(document.createElement('div'))
  onTestFinished(() => root.remove())
  return root
}

test('a page whose texts do not load shows an error with Retry instead of a white page', () => {
  const root = addRoot()

  showStartFailure(root)

  expect(screen.getByRole('alert').textContent).toContain('could not be loaded')
  expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined()
})

test('it is still shown after an error ended all rendering', async () => {
  const root = addRoot()
  const Broken = () => {
    throw new Error('broken')
  }

  createRoot(root, { onUncaughtError: () => showStartFailure(root) }).render(createElement(Broken))

  expect(await within(root).findByRole('button', { name: 'Try again' })).toBeDefined()
})
