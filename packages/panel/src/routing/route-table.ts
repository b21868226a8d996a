import type { Endpoint } from '@innkeeper/contract/api/endpoint'
import { endpoints } from '@innkeeper/contract/endpoints'
import type { RegisterFormRoute, RegisterRoute } from './route-context.ts'

/**
 * Registers the handlers of the panel's endpoints. Throws when a handler's endpoint is not in the contract's list, or an
 * endpoint has no handler.
 */
export function registerRoutes(
  registerRoute: RegisterRoute,
  registerFormRoute: RegisterFormRoute,
  routes: (registerRoute: RegisterRoute, registerFormRoute: RegisterFormRoute) => void,
): void {
  const unregistered = new Map<unknown, string>(
    endpoints.filter(({ call }) => call.via === 'panel').map(({ call, name }) => [call, name]),
  )
  const markRegistered = (call: Endpoint) => {
    if (!unregistered.delete(call))
      throw new Error(`${call.method} ${call.path} is not in the list of endpoints, or is registered twice.`)
  }
  routes(
    (call, ...rest) => {
      markRegistered(call)
      registerRoute(call, ...rest)
    },
    (call, handler) => {
      markRegistered(call)
      registerFormRoute(call, handler)
    },
  )
  if (unregistered.size > 0) throw new Error(`No handler for ${[...unregistered.values()].join(', ')}.`)
}
