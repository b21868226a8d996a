import { findEnvironmentType, getEnvironments, needsContainers, type Template } from '../definitions/definition.ts'
import type { NodeFeatures } from './nodes.ts'

/** The first of `os` and `arch` that a node does not meet; `undefined` when it meets both or does not report them. */
export function getUnmetSystem(
  template: Template,
  features: NodeFeatures | undefined,
): { readonly type: 'os' | 'arch'; readonly actual: string; readonly alternatives: readonly string[] } | undefined {
  if (!features) return undefined
  for (const type of ['os', 'arch'] as const) {
    const alternatives = splitAlternatives(template.requirements?.[type])
    if (alternatives.length > 0 && !alternatives.includes(features[type])) {
      return { type, actual: features[type], alternatives }
    }
  }
  return undefined
}

/** Whether a node can run an environment. */
export function isSupported(type: string, features: NodeFeatures | undefined): boolean {
  const environmentType = findEnvironmentType({ type })
  return (
    environmentType !== undefined &&
    (features?.environments ?? []).some((offered) => findEnvironmentType({ type: offered }) === environmentType)
  )
}

/** Whether a node can run the template in an environment; its install script may need containers in any of them. */
export function canRunIn(template: Template, type: string, features: NodeFeatures | undefined): boolean {
  return isSupported(type, features) && (!needsContainers(template, { type }) || isSupported('docker', features))
}

/** Whether a node can run the template in one of its environments. */
export function canRunTemplate(template: Template, features: NodeFeatures | undefined): boolean {
  return (
    getUnmetSystem(template, features) === undefined &&
    getEnvironments(template).some(({ type }) => canRunIn(template, type, features))
  )
}

/** Splits a requirement such as `linux||darwin`. */
export function splitAlternatives(requirement: string | null | undefined): string[] {
  return (requirement ?? '')
    .split('||')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
