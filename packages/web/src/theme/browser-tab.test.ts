import { afterEach, expect, test, vi } from 'vitest'
import { notifyInTab, setTabIcon, setTabTitle } from './browser-tab.ts'

function setHidden(isHidden: boolean): void {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(isHidden)
  document.dispatchEvent(new Event('visibilitychange'))
}

function addIcon(): HTMLLinkElement {
  const link = document.createElement('link')
  link.rel = 'icon'
  document.head.append(link)
  return link
}

afterEach(() => {
  setHidden(false)
  vi.restoreAllMocks()
  document.querySelector('link[rel="icon"]')?.remove()
})

test('an event in a background tab changes its title and icon until the tab is shown', () => {
  const link = addIcon()
  setTabTitle('Lobby · Innkeeper')
  setHidden(true)

  notifyInTab('error', 'Crashed')
  expect([document.title, link.getAttribute('href')]).toEqual(['Crashed · Lobby · Innkeeper', '/tab-error.svg'])
  setTabTitle('Arena · Innkeeper')
  expect(document.title).toBe('Crashed · Arena · Innkeeper')
  setHidden(false)

  expect([document.title, link.getAttribute('href')]).toEqual(['Arena · Innkeeper', '/lantern.svg'])
})

test('an error in a background tab is not replaced by a later success', () => {
  setTabTitle('Lobby · Innkeeper')
  setHidden(true)

  notifyInTab('error', 'Crashed')
  notifyInTab('success', 'Online')

  expect(document.title).toBe('Crashed · Lobby · Innkeeper')
})

test('a visible tab keeps its title and icon', () => {
  setTabTitle('Lobby · Innkeeper')

  notifyInTab('success', 'Online')

  expect(document.title).toBe('Lobby · Innkeeper')
})

test('the icon of a theme is restored after a notice', () => {
  const link = addIcon()
  setTabIcon('blob:theme')
  setHidden(true)
  notifyInTab('success', 'Online')
  expect(link.getAttribute('href')).toBe('/tab-success.svg')

  setHidden(false)

  expect(link.getAttribute('href')).toBe('blob:theme')
  setTabIcon(undefined)
})
