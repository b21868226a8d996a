import { findEnvironmentType, getGroups, type Template } from '@innkeeper/contract/definitions/definition'
import { listNodeChoices } from '@innkeeper/contract/nodes/nodes'
import { useApiQuery } from '../../api/use-api.ts'
import { groupFields, type Section } from '../../features/variables/sections.ts'
import { useConditions } from '../../features/variables/use-conditions.ts'
import { useCan } from '../../session/session.tsx'
import {
  type EditableVariable,
  getEditableVariables,
  getTextValues,
  type ServerDraft,
  sortRequiredFirst,
  variableField,
} from './draft.ts'

/** The visible groups of the template's variables. A group with the invalid field is always visible. */
export function useSections(
  draft: ServerDraft,
  template: Template | undefined,
  invalidField: string | undefined,
): readonly Section<EditableVariable>[] {
  const isAdmin = useCan('servers.admin')
  const nodes = useApiQuery(listNodeChoices, {}, { staleTime: 60_000, enabled: draft.node !== undefined })
  const groups = template ? getGroups(template) : []
  const conditions = useConditions(groups)
  if (!template) return []

  const { os, arch } = nodes.data?.find(({ id }) => id === draft.node)?.features ?? {}
  const context = {
    values: getTextValues(draft, template),
    ...(draft.environment !== undefined && {
      env: findEnvironmentType({ type: draft.environment }) === 'docker' ? 'docker' : 'host',
    }),
    ...(os !== undefined && { os }),
    ...(arch !== undefined && { arch }),
  }
  const sections = groupFields(
    getEditableVariables(template, isAdmin),
    groups,
    (group) =>
      (conditions.data?.(group.if, context) ?? true) ||
      group.variables.some((name) => variableField(name) === invalidField),
  )
  return sections.map((section) => ({ ...section, fields: sortRequiredFirst(section.fields) }))
}
