import type { Endpoint } from '@innkeeper/contract/api/endpoint'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { endpoints } from '@innkeeper/contract/endpoints'
import { Refusal } from '@innkeeper/contract/errors/refusals'

/** An endpoint of a server on its node, with the required permission. */
export type ServerEndpoint = Endpoint & { readonly access: { readonly onServer: RequiredPermission } }

/** Node endpoints for users; other paths are not proxied. */
export const proxiedCalls: readonly ServerEndpoint[] = endpoints.map(({ call }) => call).filter(isServerEndpoint)

const patterns = proxiedCalls.map((call) => ({ call, path: getPattern(call.path) }))

/** A matched endpoint with decoded path parameters. */
export interface MatchedCall {
  readonly call: ServerEndpoint
  readonly params: Readonly<Record<string, string>>
}

/** Finds the endpoint for a method and path. */
export function matchCall(method: string, path: string): MatchedCall | undefined {
  for (const { call, path: pattern } of patterns) {
    const match = call.method === method ? pattern.exec(path) : null
    if (!match) continue
    const params = Object.entries(match.groups ?? {}).map(([name, value = '']) => [name, decoded(name, value)])
    return { call, params: Object.fromEntries(params) }
  }
  return undefined
}

/** `:name*` at the end matches the rest of the path, which may be empty. */
function getPattern(path: string): RegExp {
  const source = path.replace(/\/:(\w+)(\*?)/g, (_, name: string, isRest: string) =>
    isRest ? `(?:/(?<${name}>.*))?` : `/(?<${name}>[^/]+)`,
  )
  return new RegExp(`^${source}$`)
}

function decoded(field: string, value: string): string {
  try {
    return decodeURIComponent(value)
  } catch (cause) {
    throw new Refusal('ErrFieldInvalid', { field }, { cause })
  }
}

function isServerEndpoint(call: Endpoint): call is ServerEndpoint {
  return call.via === 'node' && typeof call.access === 'object' && 'onServer' in call.access
}
