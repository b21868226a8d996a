import type { AuthPage } from '@innkeeper/contract/http/auth-pages'
import type { ComponentType } from 'react'
import { SignInScreen } from '../screens/sign-in/sign-in-screen.tsx'

const loadPasswordReset = async () =>
  (await import('../screens/password-reset/password-reset-screen.tsx')).PasswordResetScreen

/** The pages that are shown without a session, by path. Sign-in is part of the first load: most other pages need its parts too. */
export const authScreens: Readonly<Record<AuthPage | '/errors/404', () => Promise<ComponentType>>> = {
  '/auth/login': () => Promise.resolve(SignInScreen),
  '/auth/register': async () => (await import('../screens/register/register-screen.tsx')).RegisterScreen,
  '/auth/invite': async () => (await import('../screens/invite/invite-screen.tsx')).InviteScreen,
  '/auth/link': async () => (await import('../screens/sign-in/sign-in-link-screen.tsx')).SignInLinkScreen,
  '/auth/oidc': async () => (await import('../screens/sign-in/oidc-screen.tsx')).OidcScreen,
  '/auth/forgot': loadPasswordReset,
  '/auth/reset': loadPasswordReset,
  '/auth/setup': async () => (await import('../screens/setup/setup-screen.tsx')).SetupScreen,
  '/errors/404': async () => (await import('../screens/not-found/not-found-screen.tsx')).NotFoundScreen,
}
