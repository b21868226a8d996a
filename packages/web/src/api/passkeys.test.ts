import { expect, test } from 'vitest'
import { findPasskeyProblem } from './passkeys.ts'

const page = { origin: 'https://panel.example.org', isSecureContext: true, hasWebAuthn: true }

test.for([
  ['https://panel.example.org', {}, undefined],
  ['http://localhost:8080', { origin: 'http://localhost:8080' }, undefined],
  [undefined, {}, 'noMasterUrl'],
  ['', {}, 'noMasterUrl'],
  ['https://203.0.113.10:8080', { origin: 'https://203.0.113.10:8080' }, 'ipAddress'],
  ['http://[2001:db8::1]:8080', {}, 'ipAddress'],
  ['https://panel.example.org', { origin: 'https://203.0.113.10:8080' }, 'otherAddress'],
  ['https://panel.example.org', { origin: 'https://panel.example.org:8443' }, 'otherAddress'],
  ['http://panel.example.org', { origin: 'http://panel.example.org', isSecureContext: false }, 'noHttps'],
  ['https://panel.example.org', { hasWebAuthn: false }, 'notSupported'],
] as const)('with the master URL %s and the page %j the problem is %s', ([site, differing, problem]) => {
  expect(findPasskeyProblem(site, { ...page, ...differing })).toBe(problem)
})
