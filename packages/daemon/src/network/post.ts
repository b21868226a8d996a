import { notPublicAddress, type PostRequest, readAlertResponse } from '@innkeeper/contract/alerts/deliver'
import { Client } from 'undici'
import { addressCheck, createConnector } from './checked-addresses.ts'
import { FetchError } from './fetch-error.ts'

const connectTimeoutMs = 10_000

interface Deps {
  /** Allowed non-public `host:port`: INNKEEPER_ALERT_ALLOW. */
  readonly allow: readonly string[]
  readonly version: string
  readonly resolve?: (host: string) => Promise<readonly string[]>
}

/** Posts to URLs of the public internet. Redirects are not followed. */
export function createPost({ allow, version, resolve }: Deps): PostRequest {
  const allowedAddresses = addressCheck({ allow, resolve })

  return async ({ url, headers, body }, signal) => {
    const addresses = await allowedAddresses(url, signal).catch((error: unknown) => {
      throw error instanceof FetchError && error.problem === 'forbidden' ? notPublicAddress(url.hostname) : error
    })
    const client = new Client(url.origin, { connect: createConnector(addresses, connectTimeoutMs) })
    try {
      const response = await client.request({
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: { 'user-agent': `Innkeeper/${version}`, ...headers },
        body,
        signal,
      })
      return { status: response.statusCode, text: await readAlertResponse(response.body) }
    } finally {
      await client.destroy()
    }
  }
}
