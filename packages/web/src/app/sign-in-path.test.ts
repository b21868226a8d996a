import { expect, test } from 'vitest'
import { getSignInPath } from './sign-in-path.ts'

test('the sign-in page leads back to the page, but not after the user signed out', () => {
  const address = { pathname: '/account/confirm', search: '?x=1', hash: '#token=abc' }

  expect(getSignInPath(address)).toBe('/auth/login?return=%2Faccount%2Fconfirm%3Fx%3D1#token=abc')
  expect(getSignInPath(address, 'timedOut')).toBe('/auth/login?return=%2Faccount%2Fconfirm%3Fx%3D1#token=abc')
  expect(getSignInPath(address, 'signedOut')).toBe('/auth/login')
})
