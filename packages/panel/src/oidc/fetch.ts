import type { CustomFetch, CustomFetchOptions } from 'openid-client'
import { Agent, fetch } from 'undici'
import { type AddressRules, addressRules } from '../network/public-address.ts'

/** Metadata, keys and tokens are much smaller. */
const maxResponseBytes = 1024 ** 2

/** A provider has an address that the panel may not call. */
export class ProviderAddressError extends Error {
  override readonly name = 'ProviderAddressError'
}

export interface ProviderAddresses extends AddressRules {
  /** Whether this host and port may be called without HTTPS: only private ones that are allowed by name. */
  mayBeInsecure(url: URL): boolean
}

/** Public addresses with HTTPS, and the private `host:port` of `allow`. */
export function providerAddresses(allow: readonly string[]): ProviderAddresses {
  const refuse = (host: string) =>
    new ProviderAddressError(`${host} is not on the public internet. Allow it with INNKEEPER_OIDC_ALLOW`)
  return {
    ...addressRules(refuse, allow),
    mayBeInsecure: (url) => allow.includes(`${url.hostname}:${url.port || '80'}`),
  }
}

/** Calls a provider. Its metadata names further addresses: each is checked, so that it cannot reach internal services. */
export function providerFetch(rules: ProviderAddresses, version: string): CustomFetch {
  return async (
    address: string,
    { method, headers, body, redirect, signal }: CustomFetchOptions,
  ): Promise<Response> => {
    const url = new URL(address)
    if (!rules.mayBeAllowed(url) || (url.protocol !== 'https:' && !rules.mayBeInsecure(url)))
      throw new ProviderAddressError(
        `${url.origin} must have HTTPS and a public address, or be in INNKEEPER_OIDC_ALLOW`,
      )
    const agent = new Agent({ connect: { lookup: rules.lookupFor(url) }, maxResponseSize: maxResponseBytes })
    try {
      const response = await fetch(url, {
        dispatcher: agent,
        method,
        headers: { ...headers, 'user-agent': `Innkeeper/${version}` },
        body: body instanceof URLSearchParams ? body.toString() : (body as string | undefined),
        redirect,
        signal,
      })
      const bytes = await response.arrayBuffer()
      const { status } = response
      return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers: [...response.headers] })
    } finally {
      await agent.destroy()
    }
  }
}
