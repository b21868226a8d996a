import { expect, test } from 'vitest'
import { isUnencrypted } from './panel-link.ts'

test.for([
  ['http://panel.example.org', true],
  ['http://10.0.0.1:8080/panel', true],
  ['http://127.0.0.1.example.org', true],
  ['http://127.0.0.1:8080', false],
  ['http://[::1]:8080', false],
  ['http://LOCALHOST', false],
  ['https://panel.example.org', false],
] as const)('without TLS only a panel on this host is safe: %s', ([url, isOpen]) => {
  expect(isUnencrypted(url)).toBe(isOpen)
})
