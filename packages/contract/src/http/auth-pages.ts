/** Pages of the web app below `/auth`. Other paths there belong to the API. */
export const authPages = [
  '/auth/login',
  '/auth/register',
  '/auth/invite',
  '/auth/link',
  '/auth/oidc',
  '/auth/setup',
  '/auth/forgot',
  '/auth/reset',
] as const
export type AuthPage = (typeof authPages)[number]
