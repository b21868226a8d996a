import { environmentTypeOf, groupsOf, type Template } from '@innkeeper/contract/definition'
import { listNodeChoices } from '@innkeeper/contract/nodes'
import { useApiQuery } from '../../api/use-api-query.ts'
import { type Section, sectionsOf } from '../../features/variables/sections.ts'
import { useConditions } from '../../features/variables/use-conditions.ts'
import { type Draft, type Field, fieldOf, requiredFirst, valuesNow, variablesOf } from './draft.ts'

/** The template's variables as they stand in the form now. Where something has to be put right, nothing is folded away. */
export function useSections(
  draft: Draft,
  template: Template | undefined,
  wrong: string | undefined,
): readonly Section<Field>[] {
  const nodes = useApiQuery(listNodeChoices, {}, { staleTime: 60_000, enabled: draft.node !== undefined })
  const groups = template ? groupsOf(template) : []
  const conditions = useConditions(groups)
  if (!template) return []

  const { os, arch } = nodes.data?.find(({ id }) => id === draft.node)?.features ?? {}
  const ground = {
    values: valuesNow(draft, template),
    ...(draft.environment !== undefined && {
      env: environmentTypeOf({ type: draft.environment }) === 'docker' ? 'docker' : 'host',
    }),
    ...(os !== undefined && { os }),
    ...(arch !== undefined && { arch }),
  }
  const sections = sectionsOf(
    variablesOf(template),
    groups,
    (group) => conditions.isThere(group, ground) || group.variables.some((name) => fieldOf(name) === wrong),
  )
  return sections.map((section) => ({ ...section, fields: requiredFirst(section.fields) }))
}
