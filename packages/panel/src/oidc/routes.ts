import * as calls from '@innkeeper/contract/accounts/oidc'
import { acceptedLanguage } from '../auth/accepted-language.ts'
import { answerLogin } from '../auth/routes.ts'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { IdentitiesService } from './identities.ts'
import type { OidcProviders } from './providers.ts'
import type { OidcSignIn } from './sign-in.ts'

interface Services {
  readonly oidcProviders: OidcProviders
  readonly oidcSignIn: OidcSignIn
  readonly identities: IdentitiesService
}

export function oidcRoutes(registerRoute: RegisterRoute, { oidcProviders, oidcSignIn, identities }: Services): void {
  registerRoute(calls.listOidcProviders, () => oidcProviders.list())
  registerRoute(calls.createOidcProvider, ({ body, recentLogin, audit }) =>
    oidcProviders.create(body, recentLogin, audit),
  )
  registerRoute(calls.putOidcProvider, ({ params, body, recentLogin, audit, preconditions: { expectedVersion } }) =>
    oidcProviders.replace(params.id, body, recentLogin, audit, expectedVersion),
  )
  registerRoute(calls.deleteOidcProvider, ({ params, recentLogin, audit }) =>
    oidcProviders.remove(params.id, recentLogin, audit),
  )

  registerRoute(calls.startOidcLogin, async ({ params, client, cookies }) => {
    const { url, browser } = await oidcSignIn.startLogin(params.id, cookies.oidc, client.address)
    cookies.setOidc(browser)
    return { url }
  })
  registerRoute(calls.completeOidcLogin, async ({ body, client, cookies, audit }) => {
    const language = acceptedLanguage(client.languages)
    return answerLogin(await oidcSignIn.login(body.query, cookies.oidc, client, language, audit), cookies)
  })

  registerRoute(calls.listIdentities, ({ principal }) => identities.list(principal))
  registerRoute(calls.startIdentityLink, ({ principal, params }) => oidcSignIn.startLink(principal, params.id))
  registerRoute(calls.linkIdentity, ({ principal, body, recentLogin, audit }) =>
    oidcSignIn.link(principal, body.query, recentLogin, audit),
  )
  registerRoute(calls.unlinkIdentity, ({ principal, params, recentLogin, audit }) =>
    identities.unlink(principal, params.id, recentLogin, audit),
  )
}
