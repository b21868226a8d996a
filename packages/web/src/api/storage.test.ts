import { afterEach, expect, test, vi } from 'vitest'
import { tabStorage } from './storage.ts'

afterEach(() => void vi.restoreAllMocks())

/** As a browser does where storage is full. */
function fill(): void {
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
  })
}

test('without room a value is not written, and the previous one stays', () => {
  tabStorage.set('key', 'previous')
  fill()

  const isWritten = tabStorage.set('key', 'next')

  expect(isWritten).toBe(false)
  expect(tabStorage.get('key')).toBe('previous')
})

test('without room a replaced value is removed', () => {
  tabStorage.set('key', 'previous')
  fill()

  tabStorage.replace('key', 'next')

  expect(tabStorage.get('key')).toBeNull()
})

test('blocked storage is empty and does not throw', () => {
  vi.spyOn(window, 'sessionStorage', 'get').mockImplementation(() => {
    throw new DOMException('Access is denied.', 'SecurityError')
  })

  tabStorage.replace('key', 'value')

  expect(tabStorage.get('key')).toBeNull()
  expect(tabStorage.keys()).toEqual([])
})
