import { type Environment, environmentTypeOf, environmentTypes } from '@innkeeper/contract/definition'
import { isObject, type Raw, textOfAny, withPart } from './raw.ts'

/** An environment as a definition holds it. */
export type RawEnvironment = Environment

/** What counts as the same environment: other names of one are that one. */
export function kindOf({ type }: { readonly type: string }): string {
  return environmentTypeOf({ type }) ?? type
}

export function environmentIn({ environment }: Raw): RawEnvironment | undefined {
  return isObject(environment) && textOfAny(environment.type) !== '' ? (environment as RawEnvironment) : undefined
}

/** The environments that a template offers; its own when it lists none. */
export function environmentsIn(raw: Raw): readonly RawEnvironment[] {
  const listed = Array.isArray(raw.supportedEnvironments)
    ? (raw.supportedEnvironments as unknown[]).filter((one): one is RawEnvironment => isObject(one) && 'type' in one)
    : []
  const own = environmentIn(raw)
  return listed.length > 0 ? listed : own ? [own] : []
}

/** The types that may still be added: each is there once. */
export function freeTypes(environments: readonly RawEnvironment[]): readonly string[] {
  const used = environments.map(kindOf)
  return environmentTypes.filter((type) => !used.includes(type))
}

/** With another list; the default becomes the entry of its type, or none. */
export function withEnvironments(raw: Raw, environments: readonly RawEnvironment[]): Raw {
  const own = environmentIn(raw)
  const changed = withPart(raw, ['supportedEnvironments'], environments)
  if (!own) return changed
  return withPart(
    changed,
    ['environment'],
    environments.find((one) => kindOf(one) === kindOf(own)),
  )
}

export function withDefault(raw: Raw, kind: string): Raw {
  return withPart(
    raw,
    ['environment'],
    environmentsIn(raw).find((one) => kindOf(one) === kind),
  )
}

/** The environment of a server as another type: as the definition offers it, with the limits that it has. */
export function retyped(raw: Raw, type: string): RawEnvironment {
  const own = environmentIn(raw)
  if (own?.type === type) return own
  const offered = environmentsIn({ ...raw, environment: undefined }).find((one) => one.type === type) ?? { type }
  // What it may use does not depend on where it runs.
  return own?.limits && !offered.limits ? { ...offered, limits: own.limits } : offered
}

export const limitNames = ['memory', 'cpu', 'processes', 'disk'] as const
export type LimitName = (typeof limitNames)[number]

/** With one limit; an empty one is none. */
export function withLimit(environment: RawEnvironment, name: LimitName, limit: number | ''): RawEnvironment {
  const limits = withPart(
    isObject(environment.limits) ? environment.limits : {},
    [name],
    limit === '' ? undefined : limit,
  )
  const isNone = Object.keys(limits).length === 0
  return withPart(environment, ['limits'], isNone ? undefined : limits) as RawEnvironment
}
