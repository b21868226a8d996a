import { expect, test } from 'vitest'
import { listenerUrl } from './listener-url.ts'

test.for([
  ['0.0.0.0', 'https://localhost:5656'],
  ['::', 'https://localhost:5656'],
  ['127.0.0.1', 'https://localhost:5656'],
  ['10.0.0.7', 'https://10.0.0.7:5656'],
  ['fd00::7', 'https://[fd00::7]:5656'],
  ['node.example.org', 'https://node.example.org:5656'],
] as const)('a listener on %s is at %s', ([host, url]) => {
  expect(listenerUrl({ host, port: 5656, isSecure: true })).toBe(url)
})
