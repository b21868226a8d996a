import type { RouteObject } from 'react-router'
import { expect, test } from 'vitest'
import { authScreens } from './auth-screens.ts'
import { routes } from './routes.tsx'
import { getSignInPath, needsSession } from './sign-in-path.ts'

function getPaths(all: readonly RouteObject[]): readonly string[] {
  return all.flatMap(({ path, children = [] }) => [...(path === undefined ? [] : [path]), ...getPaths(children)])
}

const isPublic = (path: string) => path in authScreens || path === '*'
const paths = getPaths(routes)

test.each(paths.filter((path) => !isPublic(path)))('%s needs a session', (path) => {
  expect(needsSession(path.replace(/:\w+/, 'x-1'))).toBe(true)
})

test.each([...paths.filter(isPublic), '/nowhere', '/settings/x', '/server/x/y', '/server/', '//host'])(
  '%s does not need a session, or is left to the router',
  (path) => {
    expect(needsSession(path)).toBe(false)
  },
)

test('the sign-in page leads back to the page, but not after the user signed out', () => {
  const address = { pathname: '/account/confirm', search: '?x=1', hash: '#token=abc' }

  expect(getSignInPath(address)).toBe('/auth/login?return=%2Faccount%2Fconfirm%3Fx%3D1#token=abc')
  expect(getSignInPath(address, 'timedOut')).toBe('/auth/login?return=%2Faccount%2Fconfirm%3Fx%3D1#token=abc')
  expect(getSignInPath(address, 'signedOut')).toBe('/auth/login')
})
