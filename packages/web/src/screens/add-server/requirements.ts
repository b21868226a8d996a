import { getEnvironments, type Template } from '@innkeeper/contract/definitions/definition'
import { isSupported, splitAlternatives } from '@innkeeper/contract/nodes/node-support'
import type { NodeChoice } from '@innkeeper/contract/nodes/nodes'
import type { ServerDraft } from './draft.ts'

export interface Requirement {
  readonly type: 'os' | 'arch' | 'environments' | 'binary'
  /** Alternatives: one of them is enough. */
  readonly alternatives: readonly string[]
  /** `unknown` when no node reports it. */
  readonly status: 'met' | 'unmet' | 'unknown'
  /** The nodes that meet it, or those that were checked when none does. */
  readonly nodes: readonly string[]
}

/** The programs that nodes do not have, by the id of the node. */
export type MissingPrograms = ReadonlyMap<number, readonly string[]>

/** Checks what a template needs against the selected node, or against all online nodes while none is selected. */
export function checkRequirements(
  template: Template,
  draft: ServerDraft,
  nodes: readonly NodeChoice[],
  missingPrograms: MissingPrograms,
): Requirement[] {
  const online = nodes.filter((node) => node.online && node.features !== undefined)
  const selected = online.filter(({ id }) => id === draft.node)
  const checked = selected.length > 0 ? selected : online
  const check = (
    type: Requirement['type'],
    alternatives: readonly string[],
    isMet: (node: NodeChoice) => boolean,
    candidates = checked,
  ): Requirement => {
    const met = candidates.filter(isMet)
    const status = candidates.length === 0 ? 'unknown' : met.length > 0 ? 'met' : 'unmet'
    return { type, alternatives, status, nodes: (met.length > 0 ? met : candidates).map(({ name }) => name) }
  }
  const withPrograms = checked.filter(({ id }) => missingPrograms.has(id))

  const { os, arch, binaries } = template.requirements ?? {}
  const systems = splitAlternatives(os)
  const processors = splitAlternatives(arch)
  const environments = getEnvironments(template).map(({ type }) => type)
  return [
    ...(systems.length > 0 ? [check('os', systems, ({ features }) => includes(systems, features?.os))] : []),
    ...(processors.length > 0
      ? [check('arch', processors, ({ features }) => includes(processors, features?.arch))]
      : []),
    check('environments', environments, (node) => environments.some((type) => isSupported(type, node.features))),
    ...(binaries ?? []).map((binary) => {
      const hasProgram = ({ id }: NodeChoice) => missingPrograms.get(id)?.includes(binary) === false
      return check('binary', splitAlternatives(binary), hasProgram, withPrograms)
    }),
  ]
}

/** The programs that installing a server of the template downloads: `Java 21`. */
export function getDownloadedPrograms(template: Template): string[] {
  const programs = (template.install ?? []).flatMap(({ type, version }) => {
    const name = downloadSteps[type ?? '']
    if (name === undefined) return []
    const variable = /^\$\{(\w+)\}$/.exec(String(version ?? ''))?.[1]
    const number = String((variable === undefined ? version : template.data[variable]?.value) ?? '')
    return /^\d+(\.\d+)*$/.test(number) ? [`${name} ${number}`] : [name]
  })
  return [...new Set(programs)]
}

const downloadSteps: Readonly<Record<string, string>> = { javadl: 'Java', nodejsdl: 'Node.js' }

const includes = (alternatives: readonly string[], value: string | undefined) =>
  value !== undefined && alternatives.includes(value)
