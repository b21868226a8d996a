import { type Environment, environmentTypes, findEnvironmentType } from '@innkeeper/contract/definitions/definition'
import { getIn, isObject, type JsonObject, setIn, toText } from './json-path.ts'

/** The environment type with aliases resolved; an unknown type stays. */
export function canonicalType({ type }: { readonly type: string }): string {
  return findEnvironmentType({ type }) ?? type
}

export function getEnvironment({ environment }: JsonObject): Environment | undefined {
  return isObject(environment) && toText(environment.type) !== '' ? (environment as Environment) : undefined
}

/** The environments that a template supports: those that it lists, otherwise its own. */
export function getEnvironments(raw: JsonObject): readonly Environment[] {
  const supported = getIn(raw, ['supportedEnvironments'])
  const listed = Array.isArray(supported)
    ? supported.filter((one: unknown): one is Environment => isObject(one) && 'type' in one)
    : []
  const own = getEnvironment(raw)
  return listed.length > 0 ? listed : own ? [own] : []
}

/** The types that can still be added: each type may occur once. */
export function availableTypes(environments: readonly Environment[]): readonly string[] {
  const used = environments.map(canonicalType)
  return environmentTypes.filter((type) => !used.includes(type))
}

/** Sets the supported environments. The default environment becomes the entry of its type, or none. */
export function setEnvironments(raw: JsonObject, environments: readonly Environment[]): JsonObject {
  const own = getEnvironment(raw)
  const changed = setIn(raw, ['supportedEnvironments'], environments)
  return own ? setIn(changed, ['environment'], findByType(environments, canonicalType(own))) : changed
}

export function setDefaultEnvironment(raw: JsonObject, type: string): JsonObject {
  return setIn(raw, ['environment'], findByType(getEnvironments(raw), type))
}

function findByType(environments: readonly Environment[], type: string): Environment | undefined {
  return environments.find((environment) => canonicalType(environment) === type)
}

/** The environment of a server for another type: from the supported environments, with the server's limits. */
export function changeEnvironmentType(raw: JsonObject, type: string): Environment {
  const own = getEnvironment(raw)
  if (own?.type === type) return own
  const supported = getEnvironments({ ...raw, environment: undefined }).find(
    (environment) => environment.type === type,
  ) ?? { type }
  return own?.limits && !supported.limits ? { ...supported, limits: own.limits } : supported
}
